import Foundation
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraVirtualChip

/// What needs no other program.
@Suite("Keys of issuers")
struct IssuingKeyTests {
  @Test("each holder has a key of its own, which is the same at every call")
  func keys() throws {
    let types: [IssuingKeyType] =
      [.rsa, .ellipticCurve(.p256, .explicit)] + IssuingKeyType.Curve.allCases.map { .ellipticCurve($0) }
    for type in types {
      func certificate(_ holder: IssuingKey.Holder) throws -> Certificate {
        try CertificateBuilder(
          role: .countrySigner, country: "UT", organization: "Test", commonName: "Test", serialNumber: 1,
          notBefore: .now, notAfter: .now
        ).issue(
          for: IssuingKey(type, of: holder), by: nil, algorithm: type == .rsa ? .rsaPKCS1(.sha256) : .ecdsa(.sha256))
      }
      // Seals have signatures of elliptic curves only.
      let signersOfSeals: [IssuingKey.Holder] = [.barcodeSigner, .nonConstrainedSigner]
      let holders = IssuingKey.Holder.allCases.filter { type != .rsa || !signersOfSeals.contains($0) }
      let keys = try holders.map { Array(try certificate($0).publicKeyInfo) }
      #expect(Set(keys).count == holders.count && holders.count >= 3)
      #expect(Array(try certificate(.countrySigner).publicKeyInfo) == keys.first)
    }
  }

  @Test("refuses an algorithm that does not match the key")
  func mismatch() throws {
    let builder = CertificateBuilder(
      role: .countrySigner, country: "UT", organization: "Test", commonName: "Test", serialNumber: 1, notBefore: .now,
      notAfter: .now)
    for (type, algorithm) in [
      (.rsa, .ecdsa(.sha256)), (.p256, .rsaPKCS1(.sha256)), (.p256, .plainECDSA(.sha256)), (.rsa, .unknown("1.2.3")),
    ] as [(IssuingKeyType, SignatureAlgorithm)] {
      #expect(throws: CryptographyError.self) {
        try builder.issue(for: IssuingKey(type, of: .countrySigner), by: nil, algorithm: algorithm)
      }
    }
  }
}

extension RealPrograms {
  /// The keys and algorithms of a test country, checked with the `openssl` program.
  @Suite("Keys and signature algorithms of issuers")
  struct IssuingAlgorithmTests {
    /// The words of OpenSSL for the algorithm of a profile.
    struct Row: Sendable, CustomTestStringConvertible {
      let profile: String
      let signature: String
      /// A line about the key.
      let key: String
      var testDescription: String { profile }
    }

    static let rows: [Row] = [
      Row(profile: "bac", signature: "ecdsa-with-SHA256", key: "ASN1 OID: prime256v1"),
      Row(profile: "trust-rsa-sha1", signature: "sha1WithRSAEncryption", key: "Public-Key: (2048 bit)"),
      Row(profile: "trust-rsa-sha256", signature: "sha256WithRSAEncryption", key: "Public-Key: (2048 bit)"),
      Row(profile: "trust-rsa-sha512", signature: "sha512WithRSAEncryption", key: "Public-Key: (2048 bit)"),
      Row(profile: "trust-pss-sha256", signature: "rsassaPss", key: "Public-Key: (2048 bit)"),
      Row(profile: "trust-pss-sha512", signature: "rsassaPss", key: "Public-Key: (2048 bit)"),
      Row(profile: "trust-ecdsa-sha1", signature: "ecdsa-with-SHA1", key: "ASN1 OID: prime256v1"),
      Row(profile: "trust-ecdsa-sha224", signature: "ecdsa-with-SHA224", key: "ASN1 OID: prime256v1"),
      Row(profile: "trust-ecdsa-sha384", signature: "ecdsa-with-SHA384", key: "ASN1 OID: secp384r1"),
      Row(profile: "trust-ecdsa-sha512", signature: "ecdsa-with-SHA512", key: "ASN1 OID: brainpoolP512r1"),
      Row(profile: "trust-ecdsa-p521", signature: "ecdsa-with-SHA512", key: "ASN1 OID: secp521r1"),
      Row(profile: "trust-explicit", signature: "ecdsa-with-SHA256", key: "Field Type: prime-field"),
      Row(profile: "trust-unknown-curve", signature: "ecdsa-with-SHA256", key: "Field Type: prime-field"),
    ]

    @Test("certificates, CRL and EF.SOD have the algorithm of the profile", arguments: rows)
    func algorithm(_ row: Row) async throws {
      let folder = try IssuedFolder(#require(ChipProfile(named: row.profile)))
      for name in ["anchor", "signer"] {
        let text = try await folder.text(name)
        #expect(text.contains("Signature Algorithm: " + row.signature) && text.contains(row.key), "\(text)")
      }
      let list = try await folder.run("openssl crl -inform DER -in crl.der -CAfile issuer.pem -noout -text")
      #expect(list.contains("Signature Algorithm: " + row.signature) && list.contains("verify OK"))
      let object = try await folder.run(
        "openssl cms -cmsout -print -noout -inform DER -in sod.der | sed -n '/signerInfos:/,$p'")
      // CMS states only the key type for RSA PKCS#1 (RFC 3370, 3.2).
      let isPlainRSA = row.signature.hasSuffix("WithRSAEncryption")
      #expect(object.contains("algorithm: " + (isPlainRSA ? "rsaEncryption" : row.signature)), "\(object)")
      let hash = try #require(ChipProfile(named: row.profile)).issuance.digest
      #expect(object.contains("algorithm: " + hash.rawValue.replacing("-", with: "").lowercased()))
    }

    @Test("every certificate of a profile with explicit parameters has them, and OpenSSL recognises a known curve")
    func explicit() async throws {
      func curve(_ name: String) async throws -> String {
        let folder = try IssuedFolder(#require(ChipProfile(named: name)))
        for certificate in ["anchor", "signer"] {
          let key = try await folder.run(
            "openssl x509 -in \(certificate).pem -noout -pubkey | openssl pkey -pubin -outform DER | "
              + "openssl asn1parse -inform DER")
          // The prime, the coefficients, the generator, the order and the cofactor.
          #expect(key.contains(":prime-field") && key.contains("d=3") && !key.contains("OBJECT            :brainpool"))
          #expect(!key.contains("OBJECT            :prime256v1"))
        }
        return try await folder.run(
          "openssl x509 -in signer.pem -noout -pubkey | openssl ec -pubin -noout -text -param_enc named_curve || true")
      }
      #expect(try await curve("trust-explicit").contains("ASN1 OID: brainpoolP256r1"))
      let unknown = try await curve("trust-unknown-curve")
      #expect(unknown.contains("Public-Key: (256 bit)") && !unknown.contains("ASN1 OID"), "\(unknown)")
    }

    @Test(
      "the signatures of certificates with explicit parameters are valid",
      arguments: ["trust-explicit", "trust-unknown-curve"])
    func explicitSignatures(_ name: String) async throws {
      let folder = try IssuedFolder(#require(ChipProfile(named: name)))
      let text = try await folder.run(
        """
        openssl x509 -in issuer.pem -noout -pubkey > key.pem
        for name in issuer signer; do
          openssl asn1parse -inform DER -in $name.der -strparse 4 -noout -out signed
          offset=$(openssl asn1parse -inform DER -in $name.der | tail -1 | cut -d: -f1)
          openssl asn1parse -inform DER -in $name.der -strparse $offset -noout -out signature
          openssl dgst -sha256 -verify key.pem -signature signature signed
        done
        """)
      #expect(text.split(separator: "\n") == ["Verified OK", "Verified OK"])
    }

    @Test("the unknown curve is valid")
    func unknownCurve() async throws {
      let folder = try IssuedFolder(#require(ChipProfile(named: "trust-unknown-curve")))
      let text = try await folder.run(
        """
        openssl x509 -in signer.pem -noout -pubkey > key.pem
        openssl pkey -pubin -in key.pem -pubcheck -noout
        openssl ec -pubin -in key.pem -param_out -out parameters.pem
        openssl ecparam -in parameters.pem -check -noout
        """)
      #expect(text.contains("Key is valid") && text.contains("checking elliptic curve parameters: ok"), "\(text)")
    }

    @Test(
      "RSA-PSS has the parameters asked for, SHA-1 defaults too",
      arguments: [
        (HashAlgorithm.sha1, HashAlgorithm.sha1, 20), (.sha256, .sha256, 32), (.sha256, .sha1, 20),
        (.sha512, .sha384, 0),
        (.sha384, .sha384, 7), (.sha224, .sha256, 100),
      ])
    func pss(_ hash: HashAlgorithm, _ maskHash: HashAlgorithm, _ saltLength: Int) async throws {
      let folder = try IssuedFolder(.bac)
      let algorithm = SignatureAlgorithm.rsaPSS(hash, maskHash: maskHash, saltLength: saltLength)
      let key = try IssuingKey(.rsa, of: .countrySigner)
      let certificate = try CertificateBuilder(
        role: .countrySigner, country: "UT", organization: "Test", commonName: "PSS", serialNumber: 7,
        notBefore: .now.addingTimeInterval(-60), notAfter: .now.addingTimeInterval(86_400)
      ).issue(for: key, by: nil, algorithm: algorithm)
      try folder.write(certificate, "pss")
      var builder = SignedDataBuilder(contentType: "2.23.136.1.1.1")
      builder.identification = .subjectKeyIdentifier
      try folder.write(
        builder.sign([1, 2, 3], by: Issuer(certificate: certificate, key: key, algorithm: algorithm)), "pss.cms")
      let text = try await folder.text("pss").joined(separator: "\n")
      func name(_ hash: HashAlgorithm) -> String { hash.rawValue.replacing("-", with: "").lowercased() }
      #expect(text.contains("Hash Algorithm: \(name(hash))"), "\(text)")
      #expect(text.contains("Mask Algorithm: mgf1 with \(name(maskHash))"))
      #expect(
        text.contains("Salt Length: 0x\(saltLength < 16 ? "0" : "")\(String(saltLength, radix: 16).uppercased())"))
      let signature = try await folder.run("openssl cms -cmsout -print -noout -inform DER -in pss.cms")
      #expect(text.contains("Hash Algorithm: sha1 (default)") == (hash == .sha1))
      #expect(signature.contains("algorithm: rsassaPss"))
      _ = try await folder.run(
        """
        openssl verify -auth_level 0 -check_ss_sig -CAfile pss.pem pss.pem &&
        openssl cms -verify -inform DER -in pss.cms -CAfile pss.pem -auth_level 0 -purpose any -out pss.content
        """)
      #expect(folder.bytes("pss.content") == [1, 2, 3])
    }
  }
}
