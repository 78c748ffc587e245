import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  /// `tessera strings` against a server of its own: the certificate is one for rerune.io, and the way there is a proxy.
  @Suite("tessera strings")
  struct StringsCommandTests {
    private final class Home: Sendable {
      let folder: TemporaryFolder
      let server: TLSServer
      let proxy: TunnelProxy

      init() async throws {
        folder = try TemporaryFolder()
        let published = folder.url.appendingPathComponent("published")
        try FileManager.default.createDirectory(at: published, withIntermediateDirectories: true)
        server = try await TLSServer(names: "DNS:rerune.io", published: published.path)
        proxy = try await TunnelProxy(to: server.port)
      }

      /// - Parameter name: the path behind `sdk/translations`, with hyphens for slashes.
      func publish(_ name: String, _ content: String) throws {
        try Data(content.utf8).write(to: folder.url.appendingPathComponent("published/\(name)"))
      }

      func bundle(_ language: String, _ content: String) throws {
        let lproj = folder.url.appendingPathComponent("resources/\(language).lproj")
        try FileManager.default.createDirectory(at: lproj, withIntermediateDirectories: true)
        try Data(content.utf8).write(to: lproj.appendingPathComponent("Localizable.strings"))
      }

      func strings(_ arguments: String..., environment: [String: String] = [:]) async throws -> ProgramRun {
        let standard = [
          "XDG_CACHE_HOME": folder.file("cache"), "SSL_CERT_FILE": server.certificateFile, "https_proxy": proxy.address,
          "TESSERA_RERUNE_ID": "pub_3f7a9c", "LC_ALL": "de_AT.UTF-8", "LANGUAGE": "", "no_proxy": "", "NO_PROXY": "",
        ]
        return try await ProgramRun.tessera(["strings"] + arguments, environment: standard.merging(environment) { $1 })
      }
    }

    @Test("checks and reads over TLS, through a proxy, with the publish id and without a second body")
    func wholePath() async throws {
      let home = try await Home()
      try home.publish("manifest", #"{"revision": 7, "locales": {"de-AT": null, "en": null}}"#)
      try home.publish("ios-de-AT", #"{"home_title": "Servus"}"#)
      let first = try await home.strings("check")
      #expect(first.status == 0, "\(first.errors)")
      #expect(first.output == "New texts for de-AT. Revision 7.\n")
      let second = try await home.strings("check", "--json")
      #expect(try json(second.output) == ["status": "noChange", "revision": 7, "updatedLocales": []])
      // One connection serves both requests of a check.
      #expect(await home.proxy.tunnels(2) == ["rerune.io:443", "rerune.io:443"])
      let seen = await home.server.requests(4)
      #expect(
        seen.map { $0["path"].text } == [
          "/api/sdk/translations/manifest", "/api/sdk/translations/ios/de-AT",
          "/api/sdk/translations/manifest", "/api/sdk/translations/ios/de-AT",
        ])
      #expect(seen.allSatisfy { $0["headers"]["x-ota-publish-id"].text == "pub_3f7a9c" })
      #expect(seen.map { $0["headers"]["if-none-match"].isPresent } == [false, false, true, true])
      let get = try await home.strings("get", "home_title", "--offline")
      #expect(get.output == "Servus\n")
      #expect(get.errors == "tessera: Source: update (a text of the server).\n")
      // The next request is that of the next check, so the lookup sent none.
      #expect(try await home.strings("check").status == 0)
      #expect(await home.server.requests(6).count == 6)
    }

    @Test("new texts that cannot be kept are no success")
    func notKept() async throws {
      let home = try await Home()
      try home.publish("manifest", #"{"revision": 1, "locales": ["de"]}"#)
      try home.publish("ios-de", #"{"a": "eins"}"#)
      try Data().write(to: URL(fileURLWithPath: home.folder.file("cache")))
      let check = try await home.strings("check")
      #expect(check.status != 0)
      #expect(check.output.isEmpty)
      #expect(check.errors.contains("cannot be stored"))
      let get = try await home.strings("get", "a")
      #expect(get.status == 0)
      #expect(get.output == "eins\n")
      #expect(get.errors.contains("cannot be stored"))
    }

    @Test("get asks for new texts first, and prints the last ones if that fails")
    func get() async throws {
      let home = try await Home()
      try home.publish("manifest", #"{"revision": 1, "locales": ["de"]}"#)
      try home.publish("ios-de", #"{"a": "eins", "reset": "1\u001b[2J\u202e2"}"#)
      try home.bundle("de", "a = eins; b = zwei;")
      let resources = home.folder.file("resources")
      let online = try await home.strings("get", "a", "--json", "--resources", resources)
      #expect(try json(online.output) == ["key": "a", "text": "eins", "source": "update", "revision": 1])
      try home.publish("ios-de", #"{"a": "neu"}"#)
      #expect(try await home.strings("get", "a").output == "neu\n")
      let offline = try await home.strings("get", "b", "--resources", resources, environment: ["TESSERA_OFFLINE": "1"])
      #expect(offline.status == 0)
      #expect(offline.output == "zwei\n")
      #expect(offline.errors.contains("TESSERA_OFFLINE is set"))
      #expect(offline.errors.contains("bundled"))
      let value = try await home.strings("get", "c", "--offline", "--value", "drei", "--json")
      #expect(try json(value.output)["source"] == "default")
      let key = try await home.strings("get", "c", "--offline", "--json")
      #expect(try json(key.output) == ["key": "c", "text": "c", "source": "key", "revision": 1])
      // The language is the argument's, then the environment's.
      let other = try await home.strings("get", "a", "--offline", "--locale", "fr", "--json")
      #expect(try json(other.output)["source"] == "key")
    }

    @Test("failed checks have the exit status 3 and say what to do")
    func failures() async throws {
      let home = try await Home()
      let missing = try await home.strings("check")
      #expect(missing.status == 3)
      #expect(missing.errors.contains("404"))
      #expect(missing.errors.contains("publish id"))
      #expect(missing.output.isEmpty)
      try home.publish("manifest", String(repeating: " ", count: (1 << 20) + 1))
      let large = try await home.strings("check")
      #expect(large.status == 3)
      #expect(large.errors.contains("more than"))
      let object = try json(try await home.strings("check", "--json", environment: ["TESSERA_OFFLINE": "1"]).output)
      #expect(object["error"]?["code"] == "serviceUnavailable")
      let untrusted = try await home.strings("check", environment: ["SSL_CERT_FILE": ""])
      #expect(untrusted.status == 3)
      #expect(untrusted.errors.contains("not trusted"))
    }

    @Test("wrong options are refused before anything is read")
    func options() async throws {
      let home = try await Home()
      for id in ["", "  "] {
        let run = try await home.strings("check", environment: ["TESSERA_RERUNE_ID": id])
        #expect(run.status == 2)
        #expect(run.errors.contains("--publish-id"))
      }
      #expect(try await home.strings("check", "--publish-id", " ").status == 2)
      #expect(try await home.strings("check", "--locale", "_").status == 2)
      #expect(try await home.strings("get", "a", "--resources", "/proc/nonexistent").status == 2)
      // The only request is that of the command without a mistake.
      try home.publish("manifest", #"{"revision": 1, "locales": []}"#)
      #expect(try await home.strings("check").status == 0)
      #expect(await home.proxy.tunnels(1).count == 1)
    }
  }
}
