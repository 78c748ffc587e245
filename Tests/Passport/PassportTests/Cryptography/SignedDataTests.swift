import Foundation
import SwiftASN1
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraCryptography

@Suite("CMS SignedData")
struct SignedDataTests {
  /// EF.SOD of the BSI set without its outer tag and length (77 82 xx xx).
  static let foreign = Array(Fixtures.specimen("bsi2008", file: "EF_SOD.bin").dropFirst(4))

  static func signed(_ content: [UInt8]) throws -> (data: [UInt8], certificate: Certificate) {
    let key = try SigningKey(p256Scalar: SecretBytes([UInt8](repeating: 7, count: 32)))
    let certificate = try CertificateBuilder(
      role: .countrySigner, country: "UT", organization: "Test", commonName: "Test", serialNumber: 5,
      notBefore: .distantPast.addingTimeInterval(86_400 * 800_000), notAfter: .now.addingTimeInterval(86_400)
    ).issue(for: IssuingKey(key), by: nil)
    let data = try SignedDataBuilder.sign(
      content, contentType: "2.23.136.1.1.1", certificate: certificate, key: IssuingKey(key))
    return (data, certificate)
  }

  @Test("verifies a foreign EF.SOD with ECDSA and SHA-1")
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

  @Test("verifies OpenSSL's signatures, and detects every modified byte")
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
      // Either it does not decode, or the signature is wrong: it is never accepted with other content.
      guard let data = try? SignedData(changed), let signer = data.signers.first,
        (try? data.verify(signer).get()) != nil
      else { continue }
      verified += 1
      #expect(data.content == content, "byte \(index)")
    }
    // Bytes outside the signature (versions, the certificate's own signature and names) may change undetected here;
    // the chain to a trust anchor covers them.
    #expect(verified < bytes.count)
  }

  /// The content signed directly, without attributes.
  static func signedPlainly(_ content: [UInt8], contentType: [UInt8]) throws -> SignedData {
    let (bytes, _) = try signed(content)
    let key = try PrivateKey(SigningKey(p256Scalar: SecretBytes([UInt8](repeating: 7, count: 32))).pkcs8)
    let outer = try ASN1Node.parse(bytes, "ContentInfo").children("ContentInfo")
    let fields = try outer[1].onlyChild("content").children("SignedData")
    let signer = try #require(try fields.last?.children("SignerInfos").first).children("SignerInfo")
    // Version, identifier, digest algorithm, attributes, signature algorithm, signature.
    #expect(signer.count == 6 && signer[3].isContextSpecific(0))
    let signature = try ECDSASignature.der(plain: key.sign(content, .plainECDSA(.sha256)))
    let parts = [0, 1, 2, 4].flatMap { Array(signer[$0].encodedBytes) } + BERTLV.encode(0x04, signature)
    let encapsulated = BERTLV.encode(
      0x30, BERTLV.encode(0x06, contentType) + BERTLV.encode(0xA0, BERTLV.encode(0x04, content)))
    let middle = fields[3..<fields.count - 1].flatMap { Array($0.encodedBytes) }
    let signedData = fields[0].encodedBytes + fields[1].encodedBytes + encapsulated + middle
    let data = BERTLV.encode(0x30, signedData + BERTLV.encode(0x31, BERTLV.encode(0x30, parts)))
    return try SignedData(BERTLV.encode(0x30, Array(outer[0].encodedBytes) + BERTLV.encode(0xA0, data)))
  }

  @Test("accepts content without signed attributes only if it is id-data or cannot be mistaken for attributes")
  func attributes() throws {
    let plain = try Self.signedPlainly(
      Array("content".utf8), contentType: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
    let signer = try #require(plain.signers.first)
    #expect(signer.signedAttributes == nil && plain.contentType == "1.2.840.113549.1.7.1")
    #expect((try? plain.verify(signer).get()) != nil)
    let document = try Self.signedPlainly([0x30, 0x00], contentType: [0x67, 0x81, 0x08, 0x01, 0x01, 0x01])
    #expect(document.contentType == "2.23.136.1.1.1")
    #expect((try? document.verify(try #require(document.signers.first)).get()) != nil)
    let set = try Self.signedPlainly([0x31, 0x00], contentType: [0x04, 0x00, 0x7F, 0x00, 0x07, 0x03, 0x02, 0x01])
    guard case .failure(.undecidable(.malformed)) = set.verify(try #require(set.signers.first)) else {
      Issue.record("a set without signed attributes was accepted")
      return
    }
  }

  @Test("refuses a truncated structure of every length", arguments: [foreign])
  func truncated(_ bytes: [UInt8]) {
    for length in 0..<bytes.count {
      #expect(throws: (any Error).self, "\(length) bytes") { try SignedData(bytes.prefix(length)) }
    }
  }

  @Test("refuses a structure with hundreds of signers before verifying any")
  func manySigners() throws {
    // The only signer at the end of the specimen, repeated 300 times, with the enclosing lengths adapted.
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

  @Test("decodes the fields of a certificate")
  func certificate() throws {
    let certificate = try #require(try SignedData(Self.foreign).certificates.first)
    #expect(certificate.subject == "serialNumber=1.2.276.0.80.1.12.0.20.10.1.2,CN=DS,O=BundesDruckerei GmbH,C=DE")
    #expect(certificate.notBefore.timeIntervalSince1970 == 1_201_561_200)  // 2008-01-28 23:00:00
    #expect(certificate.notAfter.timeIntervalSince1970 == 1_233_097_200)  // 2009-01-27 23:00:00
    #expect(certificate.signatureAlgorithmName == "SHA1withECDSA")
    guard case .ellipticCurve = try certificate.publicKey.kind else {
      Issue.record("the key is not an EC key")
      return
    }
    #expect(certificate.pem(columns: 76).split(separator: "\n").dropFirst().first?.count == 76)
  }

  @Test("converts plain ECDSA signatures to DER")
  func plainSignature() throws {
    #expect(try ECDSASignature.der(plain: [0x00, 0x01, 0x80, 0x02]).hexadecimal == "300802010102030080" + "02")
    #expect(throws: CryptographyError.self) { try ECDSASignature.der(plain: [1, 2, 3]) }
  }
}

extension RealPrograms {
  /// Signatures that the `openssl` program makes.
  @Suite("CMS SignedData by OpenSSL")
  struct ForeignSignedDataTests {
    /// `id-mgf1`
    static let maskGeneration: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08]

    /// A key of 2048 bits and its certificate, for all signatures.
    private static let signer = Result {
      let folder = try TemporaryFolder()
      try #require(
        ProgramRun.succeeds(
          "/usr/bin/openssl",
          [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Test", "-keyout", folder.file("key"), "-out",
            folder.file("certificate"),
          ]))
      return folder
    }

    /// An RSA signature by OpenSSL with the signer's algorithm identifier replaced, which is not signed.
    static func signedByRSA(_ options: [String], algorithm: [UInt8]) throws -> SignedData {
      let folder = try Self.signer.get()
      func openssl(_ arguments: [String]) { #expect(ProgramRun.succeeds("/usr/bin/openssl", arguments)) }
      try Data("content".utf8).write(to: folder.url.appendingPathComponent("content"))
      openssl(
        [
          "cms", "-sign", "-binary", "-nodetach", "-md", "sha256", "-econtent_type", "2.23.136.1.1.1", "-in",
          folder.file("content"), "-signer", folder.file("certificate"), "-inkey", folder.file("key"), "-outform",
          "DER",
          "-out", folder.file("signed"),
        ] + options)
      let bytes = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("signed")))
      let outer = try ASN1Node.parse(bytes, "ContentInfo").children("ContentInfo")
      let fields = try outer[1].onlyChild("content").children("SignedData").map { Array($0.encodedBytes) }
      var signer = try ASN1Node.parse(BERTLV.value(of: 0x31, in: try #require(fields.last)[...]), "SignerInfo")
        .children("SignerInfo").map { Array($0.encodedBytes) }
      #expect(signer.count >= 6)
      signer[4] = BERTLV.encode(0x30, algorithm)
      let signers = BERTLV.encode(0x31, BERTLV.encode(0x30, signer.flatMap { $0 }))
      let data = BERTLV.encode(0x30, fields.dropLast().flatMap { $0 } + signers)
      return try SignedData(BERTLV.encode(0x30, Array(outer[0].encodedBytes) + BERTLV.encode(0xA0, data)))
    }

    @Test("reads the mask generation function's identifier as RSASSA-PSS with the signer's hash function")
    func maskGenerationFunction() throws {
      let pss = try Self.signedByRSA(
        ["-keyopt", "rsa_padding_mode:pss", "-keyopt", "rsa_pss_saltlen:digest"], algorithm: Self.maskGeneration)
      let signer = try #require(pss.signers.first)
      #expect(signer.signatureAlgorithm == .rsaPSS(.sha256, maskHash: .sha256, saltLength: 32))
      #expect((try? pss.verify(signer).get()) != nil)
      // With that identifier, another padding is a wrong signature, not an undecidable one.
      let plain = try Self.signedByRSA([], algorithm: Self.maskGeneration + [0x05, 0x00])
      guard case .failure(.signatureWrong) = plain.verify(try #require(plain.signers.first)) else {
        Issue.record("PKCS #1 passed for PSS")
        return
      }
    }
  }
}
