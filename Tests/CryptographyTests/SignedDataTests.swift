import Foundation
import SmartCard
import SwiftASN1
import TestSupport
import Testing

@testable import Cryptography

@Suite("CMS SignedData")
struct SignedDataTests {
  /// EF.SOD of the BSI set without its outer tag and length (77 82 xx xx).
  static let foreign = Array(Fixtures.specimen("bsi2008", file: "EF_SOD.bin").dropFirst(4))

  static func signed(_ content: [UInt8]) throws -> (data: [UInt8], certificate: Certificate) {
    let key = try SigningKey(p256Scalar: SecretBytes([UInt8](repeating: 7, count: 32)))
    let certificate = try CertificateBuilder(
      role: .countrySigner, country: "UT", organization: "Test", commonName: "Test", serialNumber: 5,
      notBefore: .distantPast.addingTimeInterval(86_400 * 800_000), notAfter: .now.addingTimeInterval(86_400)
    ).issue(for: key, by: nil)
    let data = try SignedDataBuilder.sign(content, contentType: "2.23.136.1.1.1", certificate: certificate, key: key)
    return (data, certificate)
  }

  @Test("a foreign EF.SOD with ECDSA and SHA-1 verifies")
  func foreignSignature() throws {
    let data = try SignedData(Self.foreign)
    #expect(data.contentType == "2.23.136.1.1.1")
    #expect(data.certificates.count == 1)
    let signer = try #require(data.signers.first)
    #expect(signer.digestAlgorithm == .sha1)
    #expect(signer.signatureAlgorithm == .ecdsa(.sha1))
    let certificate = try data.verify(signer).get()
    #expect(certificate.serialNumber == "1267" || certificate.serialNumber == "04F3")
    #expect(certificate.issuer.contains("CSCA BDR TEST 19.09.07"))
  }

  @Test("what OpenSSL signs verifies, and one changed byte of it does not")
  func changedBytes() throws {
    let content = Array("content".utf8)
    let (bytes, _) = try Self.signed(content)
    let good = try SignedData(bytes)
    #expect(good.content == content)
    #expect((try? good.verify(try #require(good.signers.first)).get()) != nil)

    var verified = 0
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x01
      // Either it does not decode, or the signature does not hold: never accepted with other content.
      guard let data = try? SignedData(changed), let signer = data.signers.first,
        (try? data.verify(signer).get()) != nil
      else { continue }
      verified += 1
      #expect(data.content == content, "byte \(index)")
    }
    // Bytes outside the signature (versions, the certificate's own signature and names) may change unnoticed here;
    // the chain to a trust anchor covers them.
    #expect(verified < bytes.count)
  }

  @Test("a truncated structure is refused at every length", arguments: [foreign])
  func truncated(_ bytes: [UInt8]) {
    for length in 0..<bytes.count {
      #expect(throws: (any Error).self, "\(length) bytes") { try SignedData(bytes.prefix(length)) }
    }
  }

  @Test("a structure with hundreds of signers is refused before anything is verified")
  func manySigners() throws {
    // The one signer at the end of the specimen, repeated 300 times, with the lengths around it set anew.
    let fields = try ASN1Node.parse(Self.foreign, "ContentInfo").children("ContentInfo")
    var signedData = try fields[1].onlyChild("content").children("SignedData").map { Array($0.encodedBytes) }
    let signers = try BERTLV.value(of: 0x31, in: try #require(signedData.last)[...])
    signedData[signedData.count - 1] = BERTLV.encode(0x31, (0..<300).flatMap { _ in signers })
    let content = BERTLV.encode(0xA0, BERTLV.encode(0x30, signedData.flatMap { $0 }))
    let bytes = BERTLV.encode(0x30, Array(fields[0].encodedBytes) + content)
    #expect(throws: CryptographyError.malformed("SignedData with too many signers or certificates")) {
      try SignedData(bytes)
    }
  }

  @Test("certificates tell their fields")
  func certificate() throws {
    let certificate = try #require(try SignedData(Self.foreign).certificates.first)
    #expect(certificate.subject == "serialNumber=1.2.276.0.80.1.12.0.20.10.1.2,CN=DS,O=BundesDruckerei GmbH,C=DE")
    #expect(certificate.notBefore.timeIntervalSince1970 == 1_201_561_200)  // 2008-01-28 23:00:00
    #expect(certificate.notAfter.timeIntervalSince1970 == 1_233_097_200)  // 2009-01-27 23:00:00
    #expect(certificate.signatureAlgorithmName == "SHA1withECDSA")
    guard case .ellipticCurve = certificate.publicKey.kind else {
      Issue.record("the key is not an EC key")
      return
    }
    #expect(certificate.pem(columns: 76).split(separator: "\n").dropFirst().first?.count == 76)
  }

  @Test("plain ECDSA signatures are put into DER")
  func plainSignature() throws {
    #expect(try ECDSASignature.der(plain: [0x00, 0x01, 0x80, 0x02]).hexadecimal == "300802010102030080" + "02")
    #expect(throws: CryptographyError.self) { try ECDSASignature.der(plain: [1, 2, 3]) }
  }
}
