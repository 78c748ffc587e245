import Foundation
import PassportTestSupport
import Tessera
import TesseraVirtualChip
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera trust")
  struct TrustCommandTests {
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
      #expect(home.bytes.isEmpty)
    }
  }
}
