import Foundation
import PassportTestSupport
import Tessera
import TesseraArchive
import TesseraCryptography
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("tessera trust")
struct TrustCommandTests {
  // MARK: - Import

  @Test("imports the German list with its root, and shows the numbers")
  func germanList() async throws {
    let home = try TrustHome()
    let first = try await home.trust("import", TrustHome.masterList, "--root", TrustHome.root, "--json")
    let summary = try json(first.output)
    let numbers = ["certificates", "selfSigned", "linked", "endorsed", "refused", "countries", "added", "removed"]
    #expect(numbers.map { summary[$0] } == [588, 375, 201, 12, 0, 112, 588, 0])
    #expect(summary["source"] == "DE_ML_2026-05-28-08-28-45.ml")
    #expect(summary["signer"]?.stringValue?.contains("CSCA Master List Signer") ?? false)

    let again = try await home.trust("import", TrustHome.masterList)
    #expect(again.output.contains("375 self-signed, 201 verified by another one, 12 without a known issuer"))
    #expect(again.output.contains("0 added, 0 removed."))
    let certificates = try await home.list()
    #expect(certificates.count == 588)
    let keys = [
      "country", "subject", "serialNumber", "sha256", "notBefore", "notAfter", "key", "status", "source",
    ]
    for certificate in certificates {
      #expect(keys.allSatisfy { certificate[$0]?.stringValue?.isEmpty == false }, "\(certificate.text)")
    }
    let germany = try await home.trust("list", "--country", "de").output
    #expect(germany.hasPrefix("DE\n  ") && germany.contains("EC brainpoolP384r1") && !germany.contains("\nFR\n"))
    let latvia = try await home.trust("list", "--country", "LV").output
    #expect(latvia.contains("serial number 27C8") && latvia.contains("its issuer is missing"))
  }

  @Test("prints no control characters of a certificate")
  func controlCharacters() async throws {
    let home = try TrustHome()
    let hostile = try TestAuthority("U\u{1B}[2J", name: "\u{1B}[31mCSCA")
    let path = try home.write("hostile.cer", hostile.certificate.der)
    for run in [
      try await home.trust("import", path), try await home.trust("check", path), try await home.trust("list"),
    ] {
      #expect(!run.output.contains("\u{1B}") && !run.output.isEmpty)
    }
  }

  @Test("--strict leaves out the certificates without an issuer")
  func strict() async throws {
    let home = try TrustHome()
    let run = try await home.trust("import", TrustHome.masterList, "--root", TrustHome.root, "--strict", "--json")
    let summary = try json(run.output)
    #expect(summary["added"] == 576 && summary["refused"] == 12 && summary["endorsed"] == 0)
  }

  @Test("refuses a list without a root, and shows the fingerprint that --root accepts")
  func root() async throws {
    let home = try TrustHome()
    let fingerprint = "2084aed7a991b3158e63ad750d3dc38bc6c9dcf5958f28d1162f49884e91ada8"
    let refused = try await home.tessera("trust", "import", TrustHome.masterList)
    #expect(refused.status == 2 && refused.errors.contains(fingerprint) && home.bytes.isEmpty)
    let other = try home.write("other.cer", TestAuthority("FR").certificate.der)
    let wrong = try await home.tessera("trust", "import", TrustHome.masterList, "--root", other)
    #expect(wrong.status == 5 && home.bytes.isEmpty)
    let printed = fingerprint.uppercased().enumerated().map { $0 > 0 && $0 % 2 == 0 ? ":\($1)" : "\($1)" }.joined()
    let accepted = try await home.trust("import", TrustHome.masterList, "--root", printed, "--json")
    #expect(try json(accepted.output)["added"] == 588)
  }

  @Test("refuses other files with a reason, and does not change the store")
  func otherFiles() async throws {
    let home = try TrustHome()
    try await home.trust("import", home.write("FR.cer", TestAuthority("FR").certificate.der))
    let before = home.bytes
    let country = try TestAuthority()
    let root = try home.write("root.cer", country.certificate.der)
    var list = try country.masterList([country.certificate])
    list[list.count / 2] ^= 1
    let sparse = home.folder.file("sparse")
    try #require(FileManager.default.createFile(atPath: sparse, contents: nil))
    try #require(truncate(sparse, 1 << 30) == 0)
    let bomb = try ZipArchive.write(
      (0..<17).map { ZipEntry(name: "\($0).ml", bytes: [UInt8](repeating: 0, count: 16 << 20)) })
    let files: [(String, Int32)] = [
      (try home.write("changed.ml", list), 5), (sparse, 2), (try home.write("bomb.zip", bomb), 2),
      (try home.write("page.ml", Array("<html><body>Not found</body></html>".utf8)), 2),
      (try home.write("empty.ml", []), 2), (home.folder.url.path, 2), ("/nonexistent", 2),
      ("http://localhost/list.ml", 2),
    ]
    for (file, status) in files {
      // Each one takes less than 20 s of processor time.
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/prlimit"),
        ["--cpu=20", ProgramRun.tessera.path, "trust", "import", file, "--root", root], environment: home.environment
      ).finish()
      #expect(run.status == status && run.output.isEmpty, "\(file): \(run.status) \(run.errors)")
      #expect(run.errors.split(separator: "\n").count <= 3, "\(run.errors)")
      #expect(home.bytes == before, "\(file)")
    }
    // One bad file, and nothing of the good one is imported.
    let both = try await home.tessera("trust", "import", root, try home.write("page.ml", Array("<html>".utf8)))
    #expect(both.status == 2 && home.bytes == before)
    let failure = try json(try await home.tessera("trust", "import", root, "/nonexistent", "--json").output)
    #expect(failure["error"]?["code"] == "usage")
  }

  @Test("a newer list shows what came and went")
  func newerList() async throws {
    let home = try TrustHome()
    let country = try TestAuthority()
    let (dropped, new) = (try TestAuthority("FR", name: "Dropped"), try TestAuthority("IT", name: "New"))
    let older = try home.write("older.ml", country.masterList([country, dropped].map(\.certificate)))
    let newer = try home.write("newer.ml", country.masterList([country, new].map(\.certificate)))
    try await home.trust("import", older, "--root", home.write("root.cer", country.certificate.der))
    let text = try await home.trust("import", newer).output
    #expect(text.contains("1 added, 1 removed.") && text.contains("  + CN=New") && text.contains("  - CN=Dropped"))
    #expect(try await home.list().map { $0["source"] } == ["newer.ml", "newer.ml"])
  }

  @Test("a zip archive, PEM, standard input, and LDIF of the PKD")
  func formats() async throws {
    let home = try TrustHome()
    let german = try #require(FileManager.default.contents(atPath: TrustHome.masterList)).map { $0 }
    let archive = try ZipArchive.write([
      ZipEntry(name: "GermanMasterList/readme.txt", bytes: Array("See the BSI.".utf8)),
      ZipEntry(name: "GermanMasterList/DE.ml", bytes: german),
    ])
    let zip = try home.write("DE.zip", archive)
    let summary = try json(try await home.trust("import", zip, "--root", TrustHome.root, "--json").output)
    #expect(summary["added"] == 588 && summary["source"] == "DE.zip")

    let country = try TrustHome.testCountry()
    func attribute(_ name: String, _ bytes: [UInt8]) -> String {
      "\(name):: \(Data(bytes).base64EncodedString())"
    }
    let ldif = """
      version: 1

      dn: cn=UT,o=ml,c=UT,dc=data,dc=download,dc=pkd,dc=icao,dc=int
      objectClass: pkdMasterList
      \(attribute("pkdMasterListContent", try country.masterList()))

      dn: cn=signer,o=dsc,c=UT,dc=data,dc=download,dc=pkd,dc=icao,dc=int
      objectClass: inetOrgPerson
      \(attribute("userCertificate;binary", try #require(country.documentSigners.first).der))

      dn: o=crl,c=UT,dc=data,dc=download,dc=pkd,dc=icao,dc=int
      objectClass: cRLDistributionPoint
      \(attribute("certificateRevocationList;binary", try #require(country.revocationLists.first)))

      """
    let root = try #require(country.countrySigners.first)
    let pem = try home.write("root.pem", Array("Utopia\n\(root.pem())\n".utf8))
    let pkd = try json(
      try await home.trust("import", home.write("pkd.ldif", Array(ldif.utf8)), "--root", pem, "--json").output)
    #expect(pkd["added"] == 1 && pkd["documentSigners"] == 1 && pkd["revocationLists"] == 1 && pkd["refused"] == 0)
    let list = try json(try await home.trust("list", "--json").output)
    guard case .array(let signers)? = list["documentSigners"] else {
      Issue.record("no document signers")
      return
    }
    #expect(signers.count == 1 && signers[0]["country"] == "UT")

    let other = try TestAuthority("FR")
    let run = try await ProgramRun.tessera(
      ["trust", "import", "-", "--json"], input: other.certificate.pem(), environment: home.environment)
    #expect(try run.status == 0 && json(run.output)["added"] == 1)
  }

  @Test("an https:// address")
  func address() async throws {
    let home = try TrustHome()
    let country = try TestAuthority()
    let file = try home.write("UT.ml", country.masterList([country.certificate]))
    let root = try home.write("root.cer", country.certificate.der)
    let server = try await TLSServer(published: file)
    let arguments = ["trust", "import", server.address("published"), "--root", root, "--json"]
    // Without its root, the server is not trusted.
    #expect(try await home.tessera(arguments).status != 0 && home.bytes.isEmpty)
    let trusted = home.environment.merging(["SSL_CERT_FILE": server.certificateFile]) { $1 }
    let run = try await ProgramRun.tessera(arguments, environment: trusted)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try json(run.output)["source"] == .string(server.address("published")))
    #expect(try await home.list().map { $0["source"] } == [.string(server.address("published"))])
    for path in ["plain", "host", "status/404"] {
      let refused = try await ProgramRun.tessera(
        ["trust", "import", server.address(path)], environment: trusted)
      #expect(refused.status != 0 && refused.status != 1 && refused.output.isEmpty, "\(path): \(refused.errors)")
    }
    #expect(try await home.list().count == 1)
  }

  // MARK: - Check

  @Test("check says what a certificate or a CRL leads to, and why not")
  func check() async throws {
    let home = try TrustHome()
    let country = try TestAuthority()
    try await home.trust("import", home.write("UT.cer", country.certificate.der))
    func check(_ bytes: [UInt8]) async throws -> (status: Int32, text: String, json: JSONValue?) {
      let file = try home.write("file", bytes)
      let text = try await home.tessera("trust", "check", file)
      let run = try await home.tessera("trust", "check", "--json", file)
      #expect(run.status == text.status)
      guard case .array(let entries)? = try json(run.output)["entries"] else { return (run.status, text.output, nil) }
      return (run.status, text.output, entries.first)
    }
    let signer = try country.signer(.documentSigner).certificate
    let trusted = try await check(signer.der)
    #expect(trusted.status == 0 && trusted.json?["trusted"] == true)
    #expect(trusted.json?["path"] == [.string(country.certificate.subject)])
    #expect(trusted.text.contains("↑ CN=CSCA") && trusted.text.contains("valid until"))
    #expect(try await check(country.certificate.der).text.contains("known from UT.cer"))
    let expired = try await check(country.signer(.documentSigner, days: -300..<(-100)).certificate.der)
    #expect(expired.status == 0 && expired.text.contains("expired on"))
    let unknown = try await check(TestAuthority("FR").signer(.documentSigner).certificate.der)
    #expect(unknown.status == 5 && unknown.text.contains("issuer is not known") && unknown.json?["path"] == [])
    var changed = signer.der
    changed[changed.count - 1] ^= 1
    let wrong = try await check(changed)
    #expect(wrong.status == 5 && wrong.text.contains("signature is wrong"))

    let list = try await check(country.revocationList())
    #expect(list.status == 0 && list.text.contains("CN=CSCA") && !list.text.contains("stale"))
    let stale = try await check(country.revocationList(days: -100..<(-10)))
    #expect(stale.status == 0 && stale.text.contains("It is stale"))
    let foreign = try await check(TestAuthority("FR").revocationList())
    #expect(foreign.status == 5 && foreign.text.contains("is not known"))
    #expect(try await home.tessera("trust", "check", home.write("page", Array("<html>".utf8))).status == 2)
    let germany = try await home.tessera("trust", "check", TrustHome.masterList)
    #expect(germany.status == 2 && germany.errors.contains("trust import"))
    let other = try await home.tessera("trust", "check", TrustHome.root, "--trust", TrustHome.masterList)
    #expect(other.status == 0, "\(other.errors)")
  }

  // MARK: - List, remove, export

  @Test("list groups by country, and names missing parents")
  func list() async throws {
    let home = try TrustHome()
    let none = try await home.trust("list")
    #expect(none.output.isEmpty && none.errors.contains("No certificates are imported"))
    #expect(try await home.list().isEmpty)
    let country = try TestAuthority(name: "Parent")
    let link = try TestAuthority(name: "Next", serialNumber: 2, by: country)
    let list = try country.masterList([country, link, try TestAuthority("FR")].map(\.certificate))
    try await home.trust(
      "import", home.write("UT.ml", list), "--root", home.write("root.cer", country.certificate.der))
    try await home.trust("import", home.write("UT.crl", country.revocationList(days: -100..<(-10))))
    let text = try await home.trust("list").output
    #expect(text.hasPrefix("FR\n  CN=") && text.contains("\n\nUT\n  CN="))
    #expect(text.contains("verified by 01 (") && text.contains("from UT.ml") && text.contains("1 revoked"))
    #expect(text.contains("The next one was due on") && text.contains("3 certificates of 2 countries"))
    let objects = try await home.list()
    #expect(Set(objects.map { $0["status"]?.stringValue }) == ["selfSigned", "linked"])
    let parent = try #require(objects.first { $0["serialNumber"] == "01" && $0["country"] == "UT" })
    #expect(parent["key"] == "EC P-256" || parent["key"] == "EC prime256v1")
    let fingerprint = try HashAlgorithm.sha256.digest(of: country.certificate.der)
    let digits = fingerprint.map { String(format: "%02x", $0) }
    #expect(parent["sha256"] == .string(digits.joined()))
    try await home.trust("remove", digits.joined())
    #expect(try await home.trust("list").output.contains("its issuer is missing"))
  }

  @Test("remove by fingerprint, country, file, and everything")
  func remove() async throws {
    let home = try TrustHome()
    let countries = try ["UT", "FR", "IT"].map { try TestAuthority($0) }
    for country in countries {
      let name = try #require(country.certificate.country)
      try await home.trust("import", home.write("\(name).cer", country.certificate.der))
    }
    let signer = try countries[1].signer(.documentSigner).certificate
    try await home.trust("import", home.write("signer.cer", signer.der))
    try await home.trust("import", home.write("FR.crl", countries[1].revocationList()))
    let before = home.bytes
    for arguments in [
      ["--country", "XX"], ["--source", "none.ml"], [String(repeating: "00", count: 32)], ["00"], [],
      ["--all", "--country", "UT"],
    ] {
      let run = try await home.tessera(["trust", "remove"] + arguments)
      #expect(run.status == 2 && home.bytes == before, "\(arguments): \(run.errors)")
    }
    #expect(try await home.trust("remove", "--country", "fr").output == "3 removed.\n")
    #expect(try await home.list().map { $0["country"] } == ["UT", "IT"])
    #expect(try await home.trust("remove", "--source", "UT.cer").output == "1 removed.\n")
    #expect(try await home.trust("remove", "--all").output == "1 removed.\n")
    #expect(try home.store.load().count == 0)
    try await home.trust("remove", "--all")
  }

  @Test("export gives the same set to another machine, and to OpenSSL")
  func export() async throws {
    let home = try TrustHome()
    #expect(try await home.tessera("trust", "export").status == 2)
    try await home.trust("import", TrustHome.masterList, "--root", TrustHome.root)
    let country = try TestAuthority()
    try await home.trust(
      "import", home.write("UT.cer", country.certificate.der), home.write("UT.crl", country.revocationList()),
      home.write("signer.cer", country.signer(.documentSigner).certificate.der),
      home.write("UT-deviations.cms", country.emptyDeviationList()))
    let file = home.folder.file("all.pem")
    try await home.trust("export", "-o", file)
    let other = try TrustHome()
    let summary = try json(try await other.trust("import", file, "--json").output)
    #expect(summary["certificates"] == 589 && summary["refused"] == 0 && summary["documentSigners"] == 1)
    #expect(summary["revocationLists"] == 1)
    let deviations = home.folder.file("deviations.pem")
    try await home.trust("export", "--deviation-lists", "-o", deviations)
    #expect(try json(try await other.trust("import", deviations, "--json").output)["deviationLists"] == 1)
    let (first, second) = (try home.store.load(), try other.store.load())
    #expect(Set(first.countrySigners.map(\.fingerprint)) == Set(second.countrySigners.map(\.fingerprint)))
    #expect(first.documentSigners.map(\.certificate) == second.documentSigners.map(\.certificate))
    #expect(first.revocationLists.map(\.list) == second.revocationLists.map(\.list))
    #expect(first.deviationLists.map(\.list) == second.deviationLists.map(\.list))
    let statuses = Dictionary(uniqueKeysWithValues: first.countrySigners.map { ($0.fingerprint, $0.status.name) })
    #expect(second.countrySigners.allSatisfy { statuses[$0.fingerprint] == $0.status.name })

    let store = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/openssl"), ["storeutl", "-noout", file]
    ).finish()
    #expect(store.output.contains("Total found: 591"), "\(store.output) \(store.errors)")
    let part = try await home.trust("export", "--country", "ut").output
    #expect(part.components(separatedBy: "-----BEGIN CERTIFICATE-----").count == 3)
    #expect(part.contains("-----BEGIN X509 CRL-----"))
  }

  @Test("a damaged store is an error of its own, and import does not overwrite it")
  func damage() async throws {
    let home = try TrustHome()
    let certificate = try home.write("UT.cer", TestAuthority().certificate.der)
    try await home.trust("import", certificate)
    var bytes = home.bytes
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: home.store.folder + "/certificates"))
    for arguments in [["list"], ["import", certificate], ["check", certificate], ["export"], ["remove", "--all"]] {
      let run = try await home.tessera(["trust"] + arguments)
      #expect(run.status == 7 && run.errors.contains("damaged"), "\(arguments): \(run.errors)")
    }
    #expect(home.bytes == bytes)
  }

  // MARK: - --trust

  @Test("--trust with a certificate, a list or a folder verifies the virtual chip")
  func trustOption() async throws {
    let home = try TrustHome()
    let country = try TrustHome.testCountry()
    let root = try #require(country.countrySigners.first)
    let certificate = try home.write("UT.cer", root.der)
    let list = try home.write("UT.ml", country.masterList())
    let folder = home.folder.file("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(root.der).write(to: URL(fileURLWithPath: folder + "/UT.cer"))
    try Data(try #require(country.revocationLists.first)).write(to: URL(fileURLWithPath: folder + "/UT.crl"))
    func read(_ places: [String]) async throws -> [String: JSONValue] {
      let trust = places.flatMap { ["--trust", $0] }
      let run = try await home.tessera(["passport", "read", "--virtual", "--json"] + trust)
      guard case .array(let checks)? = try json(run.output)["checks"] else { return [:] }
      return Dictionary(uniqueKeysWithValues: checks.map { ($0["id"]?.stringValue ?? "", $0) })
    }
    for places in [[certificate], [list], [folder], [TrustHome.masterList, certificate]] {
      let checks = try await read(places)
      #expect(
        checks["passive.chain"]?["status"] == "passed", "\(places): \(String(describing: checks["passive.chain"]))")
      #expect(checks["passive.revocation"]?["status"] == (places == [folder] ? "passed" : "skipped"))
    }
    let german = try await read([TrustHome.masterList])
    #expect(german["passive.chain"]?["status"] == "failed")
    #expect(german["passive.chain"]?["detail"]?.stringValue?.contains("no anchor") ?? false)
    let missing = try await home.tessera("passport", "read", "--virtual", "--trust", "/nonexistent")
    #expect(missing.status == 2)
    #expect(home.bytes.isEmpty)
  }
}
