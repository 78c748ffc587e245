import Foundation
import TesseraCryptography
import TesseraPassport
import TestSupport
import Testing

@testable import TesseraVirtualChip

extension RealPrograms {
  /// What a test country issues, checked with the `openssl` program.
  @Suite("Issuance of documents and certificates")
  struct IssuanceTests {
    static func profile(_ name: String) throws -> ChipProfile { try #require(ChipProfile(named: "trust-" + name)) }

    static let names = ChipProfile.issuances.map(\.name) + ["bac"]

    /// The error of the certificate path for the profiles whose path is not valid.
    static let pathErrors = [
      "trust-unknown-csca": "unable to get local issuer certificate", "trust-expired-signer": "certificate has expired",
      "trust-revoked": "certificate revoked", "trust-stale-crl": "CRL has expired",
      "trust-no-crl": "unable to get certificate CRL",
      // OpenSSL follows no path with such keys; `IssuingAlgorithmTests` verifies the signatures.
      "trust-explicit": explicitParameters, "trust-unknown-curve": explicitParameters,
    ]
    static let explicitParameters = "Certificate public key has explicit ECC parameters"

    @Test("the document signer chains to what the country publishes, and signed EF.SOD", arguments: names)
    func issued(_ name: String) async throws {
      let profile = try #require(ChipProfile(named: name))
      let folder = try IssuedFolder(profile)
      // Security level 0 permits SHA-1.
      let text = try await folder.run(
        """
        crl=; test -f crl.der && crl="-CRLfile crl.der"
        openssl verify -auth_level 0 -crl_check $crl -CAfile anchor.pem -untrusted published.pem signer.pem
        """, status: Self.pathErrors[profile.name] == nil ? 0 : 2)
      #expect(text.contains(Self.pathErrors[profile.name] ?? "signer.pem: OK"), "\(text)")
      #expect(folder.document.country.revocationLists.isEmpty == (profile.name == "trust-no-crl"))

      let verify = "openssl cms -verify -inform DER -in sod.der -out content.der -auth_level 0 -partial_chain"
      let isEmbedded = profile.name != "trust-pkd-signer"
      if !isEmbedded {
        let text = try await folder.run(verify + " -noverify", status: 4)
        #expect(text.contains("signer certificate not found"))
      }
      let path =
        Self.pathErrors[name] == Self.explicitParameters
        ? " -noverify" : " -no_check_time -purpose any -CAfile issuer.pem"
      // The digests of the data groups are in the content, except where the profile says otherwise.
      let groups = folder.document.files.all.filter { $0.name.hasPrefix("DG") }
      let hash = profile.issuance.digest.rawValue.replacing("-", with: "").lowercased()
      let content = try await folder.run(
        """
        set -e
        \(verify + path + (isEmbedded ? "" : " -certfile signer.pem"))
        openssl asn1parse -inform DER -in content.der
        openssl dgst -\(hash) -r \(groups.map(\.name).joined(separator: " "))
        """)
      for file in groups {
        // A line with the digest and the name of the file.
        let line = try #require(content.split(separator: "\n").last { $0.hasSuffix(" *\(file.name)") })
        let digest = line.prefix { $0 != " " }.uppercased()
        let differs = ["trust-wrong-hash": "DG2", "trust-uncovered": "DG11"][profile.name] == file.name
        #expect(content.contains(":" + digest) != differs, "\(file.name)")
      }
    }

    @Test("OpenSSL's strict checks accept the certificates of the default document")
    func strict() async throws {
      let folder = try IssuedFolder(.bac)
      for purpose in ["any", "smimesign"] {
        _ = try await folder.run(
          "openssl verify -x509_strict -check_ss_sig -purpose \(purpose) -CAfile anchor.pem -CRLfile crl.der -crl_check "
            + "signer.pem")
      }
      let text = try await folder.run("openssl crl -inform DER -in crl.der -CAfile issuer.pem -noout -text")
      for words in ["verify OK", "Version 2 (0x1)", "X509v3 CRL Number:", "X509v3 Authority Key Identifier:"] {
        #expect(text.contains(words), "\(text)")
      }
      #expect(text.contains("Serial Number: 63"))
    }

    @Test("the certificates have the extensions of Doc 9303-12, 7.1")
    func extensions() async throws {
      let folder = try IssuedFolder(.bac)
      let common = [
        "X509v3 Authority Key Identifier:", "X509v3 Subject Key Identifier:", "X509v3 Private Key Usage Period:",
        "X509v3 CRL Distribution Points:", "URI:https://www.uto.example/csca.crl",
        "email:csca@uto.example, URI:https://www.uto.example, DirName:/L=UTO", "X509v3 Issuer Alternative Name:",
        "X509v3 Subject Alternative Name:",
      ]
      let authority = try await folder.text("anchor")
      for line in common + [
        "Subject: C = UT, O = Tessera specimen, CN = CSCA Utopia", "X509v3 Key Usage: critical",
        "Certificate Sign, CRL Sign", "X509v3 Basic Constraints: critical", "CA:TRUE, pathlen:0",
      ] {
        #expect(authority.contains(line), "\(line) in \(authority)")
      }
      let signer = try await folder.text("signer")
      for line in common + [
        "Subject: C = UT, O = Tessera specimen, CN = Document Signer 1", "X509v3 Key Usage: critical",
        "Digital Signature", "2.23.136.1.1.6.2:",
      ] {
        #expect(signer.contains(line), "\(line) in \(signer)")
      }
      #expect(try await Self.documentTypes(folder) == "30080201003103130150")
      // Both keys sign now, and the certificates outlive the documents.
      _ = try await folder.run("openssl x509 -in signer.pem -noout -checkend $((3652 * 86400))")
      let period = try #require(signer.first { $0.hasPrefix("Not Before: ") && $0.contains("Not After: ") })
      #expect(period.contains(" GMT"))
    }

    /// The value of the document type list in hexadecimal.
    static func documentTypes(_ folder: IssuedFolder) async throws -> String {
      let text = try await folder.run(
        "openssl asn1parse -inform DER -in signer.der | grep -A1 ':2.23.136.1.1.6.2' | tail -1")
      return String(text.split(separator: "[HEX DUMP]:").last ?? "").trimmingCharacters(in: .newlines)
    }

    @Test("the document type list has the code of the MRZ, or not")
    func documentTypes() async throws {
      #expect(
        try await Self.documentTypes(IssuedFolder(#require(ChipProfile(named: "finland-id-2023"))))
          == "30080201003103130149")
      #expect(try await Self.documentTypes(IssuedFolder(Self.profile("document-type"))) == "30080201003103130149")
    }

    @Test("a minimal signer has no other extensions, and chains to the CSCA")
    func minimal() async throws {
      var profile = ChipProfile.bac
      profile.issuance = .minimal
      let folder = try IssuedFolder(SpecimenDocument(profile: profile))
      let extensions = try await folder.text("signer").filter { $0.hasPrefix("X509v3 ") && $0.hasSuffix(":") }
      #expect(
        extensions == ["X509v3 extensions:", "X509v3 Authority Key Identifier:"], "beside the critical key usage")
      _ = try await folder.run("openssl verify -CAfile anchor.pem -CRLfile crl.der -crl_check signer.pem")
    }

    @Test("a signer without the usage for signatures is not suitable for signatures")
    func keyUsage() async throws {
      let verify = "openssl cms -verify -inform DER -in sod.der -out content.der -CAfile issuer.pem"
      _ = try await IssuedFolder(.bac).run(verify)
      let folder = try IssuedFolder(Self.profile("no-key-usage"))
      #expect(try await folder.run(verify, status: 4).contains("certificate purpose"))
      #expect(try await folder.text("signer").contains("Key Encipherment"))
    }

    @Test("the certificates of the wrong country have its codes, and the document has the usual ones")
    func country() async throws {
      let folder = try IssuedFolder(Self.profile("wrong-country"))
      for name in ["issuer", "signer"] {
        let text = try await folder.text(name)
        #expect(text.contains { $0.hasPrefix("Subject: C = ZZ, ") } && text.contains { $0.hasSuffix("DirName:/L=ZZZ") })
      }
      #expect(folder.document.files[.dg1] == (try SpecimenDocument().files[.dg1]))
    }

    @Test("the chip lacks the missing group, and EF.COM lists the uncovered one")
    func groups() async throws {
      let missing = try IssuedFolder(Self.profile("missing-group"))
      let script = "openssl cms -verify -noverify -inform DER -in sod.der -out content.der && "
      let content = try await missing.run(script + "openssl asn1parse -inform DER -in content.der")
      #expect(content.contains("INTEGER           :0C") && missing.bytes("DG12").isEmpty)
      #expect(!missing.bytes("EF.COM").contains(0x6C))
      let uncovered = try IssuedFolder(Self.profile("uncovered"))
      #expect(!uncovered.bytes("DG11").isEmpty && uncovered.bytes("EF.COM").contains(0x6B))
      #expect(
        try await !uncovered.run(script + "openssl asn1parse -inform DER -in content.der").contains(
          "INTEGER           :0B"))
    }

    @Test("the version of the LDS security object is that of the profile")
    func version() async throws {
      for (profile, version) in [(try Self.profile("lds-0"), "00"), (.bac, "01")] {
        let text = try await IssuedFolder(profile).run(
          "openssl cms -verify -noverify -inform DER -in sod.der -out content.der && "
            + "openssl asn1parse -inform DER -in content.der | sed -n 2p")
        #expect(text.contains("INTEGER           :\(version)"), "\(text)")
      }
    }

    @Test("a signer is named by its issuer and serial number, or by its key identifier")
    func identification() async throws {
      let print = "openssl cms -cmsout -print -noout -inform DER -in sod.der"
      #expect(try await IssuedFolder(.bac).run(print).contains("d.issuerAndSerialNumber:"))
      let text = try await IssuedFolder(Self.profile("key-identifier")).run(print)
      #expect(text.contains("d.subjectKeyIdentifier:") && !text.contains("d.issuerAndSerialNumber:"))
    }

    @Test("the link certificate has the new key, equal names and the signature of the former key")
    func link() async throws {
      let folder = try IssuedFolder(Self.profile("link"))
      let text = try await folder.run(
        """
        openssl verify -CAfile anchor.pem -untrusted issuer.pem signer.pem
        openssl verify -CAfile anchor.pem issuer.pem
        openssl verify -CAfile anchor.pem signer.pem
        openssl x509 -in issuer.pem -noout -issuer -subject -nameopt RFC2253
        openssl x509 -in issuer.pem -noout -pubkey | cmp - <(openssl x509 -in anchor.pem -noout -pubkey) || echo other key
        openssl crl -inform DER -in crl.der -CAfile issuer.pem -noout
        """)
      let lines = text.split(separator: "\n")
      #expect(lines.contains("signer.pem: OK") && lines.contains("issuer.pem: OK") && lines.contains("other key"))
      #expect(text.contains("unable to get local issuer certificate") && lines.contains("verify OK"))
      for role in ["issuer", "subject"] { #expect(lines.contains("\(role)=CN=CSCA Utopia,O=Tessera specimen,C=UT")) }
      #expect(folder.document.country.countrySigners.count == 2)
    }

    @Test("the published CSCA of the profile with an unknown one has the same name and another key")
    func unknown() async throws {
      let document = try SpecimenDocument(profile: Self.profile("unknown-csca"))
      let published = try #require(document.country.countrySigners.first)
      #expect(document.country.countrySigners.count == 1 && published.subject == document.countrySigner.subject)
      #expect(try published.publicKey != document.countrySigner.publicKey)
      let folder = try IssuedFolder(document)
      #expect(
        try await folder.run("openssl crl -inform DER -in crl.der -CAfile anchor.pem -noout").contains("verify OK"))
      _ = try await folder.run("openssl verify -CAfile issuer.pem signer.pem")
    }

    @Test("the document signer of EF.SOD signs EF.CardSecurity too")
    func cardSecurity() async throws {
      var profile = try #require(ChipProfile(named: "germany-2023"))
      profile.issuance = try Self.profile("pss-sha512").issuance
      let folder = try IssuedFolder(profile)
      let text = try await folder.run(
        """
        openssl cms -verify -inform DER -in EF.CardSecurity -out infos.der -CAfile issuer.pem -signer found.pem
        openssl cms -cmsout -print -noout -inform DER -in EF.CardSecurity | grep -A20 signatureAlgorithm: | tail -20
        cmp <(openssl x509 -in found.pem -outform DER) signer.der
        """)
      #expect(text.contains("rsassaPss"))
      #expect(folder.bytes("infos.der") == (try ChipSecurityInfos(profile).cardSecurity()))
    }

    @Test("the master list has the published certificates, and a master list signer of the country signed it")
    func masterList() async throws {
      for name in ["bac", "trust-link", "trust-pss-sha256", "trust-unknown-curve"] {
        let folder = try IssuedFolder(#require(ChipProfile(named: name)))
        let country = folder.document.country
        try folder.write(country.masterList(), "list.der")
        let text = try await folder.run(
          """
          openssl cms -verify -inform DER -in list.der -out content.der -CAfile anchor.pem -certfile published.pem \
            -purpose any -signer found.pem \(name == "trust-unknown-curve" ? "-noverify" : "")
          openssl cms -cmsout -print -noout -inform DER -in list.der | grep -c 'd.certificate:'
          openssl cms -cmsout -print -noout -inform DER -in list.der | grep eContentType:
          openssl asn1parse -inform DER -in content.der | grep -c 'd=2 .*SEQUENCE'
          openssl x509 -in found.pem -noout -text
          """)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.contains("2") && lines.contains("\(country.countrySigners.count)"), "\(name): \(text)")
        #expect(text.contains("2.23.136.1.1.2") && lines.contains("X509v3 Extended Key Usage: critical"))
        #expect(lines.contains("2.23.136.1.1.3") && lines.contains { $0.hasSuffix("CN = Master List Signer") })
        // Each certificate is in the list byte for byte.
        let content = folder.bytes("content.der")
        for certificate in country.countrySigners { #expect(content.firstRange(of: certificate.der) != nil) }
      }
    }
  }
}
