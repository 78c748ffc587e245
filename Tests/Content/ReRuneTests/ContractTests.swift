import Foundation
import TesseraCore
import TesseraHTTPClient
import TesseraLocales
import TestSupport
import Testing

@testable import ReRune

extension RealPrograms {
  /// The three contracts of ReRune, with the real client and a server of Python that refuses what its contract does not have.
  @Suite("contracts of ReRune") struct ContractTests {
    /// A server whose state is a file, and a cache. Each `strings` is the start of a process.
    private final class Lab: Sendable {
      let folder: TemporaryFolder
      let server: TLSServer
      let proxy: TunnelProxy
      /// Its connections are those of all starts.
      private let client: HTTPSClient

      init() async throws {
        folder = try TemporaryFolder()
        server = try await TLSServer(
          names: "DNS:rerune.io", script: "Content/ReRuneTests/contracts.py", published: folder.file("state.json"))
        proxy = try await TunnelProxy(to: server.port)
        client = HTTPSClient(environment: ["SSL_CERT_FILE": server.certificateFile, "https_proxy": proxy.address])
      }

      func strings(_ locale: String = "de_AT", cache: String = "cache") throws -> OverTheAirStrings {
        let strings = OverTheAirStrings()
        strings.setup(
          StringsConfiguration(
            id: try PublishId("pub_3f7a9c"), chain: LocaleChain(locale), cacheFolder: folder.file(cache),
            requestTimeout: .seconds(30), transport: client))
        return strings
      }

      /// - Parameter version: that of the German texts, of which the server has four.
      func publish(
        _ contract: String, version: Int, mutation: String? = nil, refusal: Int = 404, base: Int = 1,
        main: String? = "en"
      ) throws {
        var state: [String: Any] = [
          "contract": contract, "refusal": refusal,
          "locales": [
            "de": ["version": version, "base": base, "name": "Deutsch", "changes": Self.changes],
            "en": ["version": 1, "changes": [["only english": "English", "title": "Home"]]],
          ],
        ]
        state["mutation"] = mutation
        state["main"] = main
        try JSONSerialization.data(withJSONObject: state).write(
          to: URL(fileURLWithPath: folder.file("state.json")), options: .atomic)
      }

      private static var changes: [[String: Any]] {
        [
          ["title": "Start", "old": "weg", "n": ["one": "Ein Ding", "other": "{{count}} Dinge"]], ["title": "Anfang"],
          ["old": NSNull(), "n": ["other": "{{count}} Sachen"]], ["title": "Los"],
        ]
      }

      /// The paths that were asked for since the last call that matter, without the common part.
      func paths(after count: Int) async -> [String] {
        // All answers of the check have arrived, so all its lines are there.
        await server.requests(count + 1).dropFirst(count)
          .map { $0["path"].text.replacing("/api/sdk/translations/", with: "") }
      }
    }

    @Test("records: whole texts first, then differences; forms of a number; the main language")
    func records() async throws {
      let lab = try await Lab()
      try lab.publish("records", version: 1)
      let strings = try lab.strings()
      #expect(await strings.checkForUpdates() == .init(status: .updated, updatedLocales: ["de", "en"]))
      #expect(
        Set(await lab.paths(after: 0)) == [
          "manifest", "texts/de?project=1&target_version=1", "texts/en?project=1&target_version=1",
        ])
      #expect(strings.text("title").text == "Start")
      #expect(strings.text("only english").text == "English")
      #expect(strings.text("n", count: 1, value: "%lld") == FoundText(text: "Ein Ding", source: .update))
      #expect(strings.text("n", count: 2, value: "%lld").text == "%1$lld Dinge")
      // Nothing changed: one request.
      #expect(await strings.checkForUpdates().status == .noChange)
      #expect(await lab.paths(after: 3) == ["manifest"])
      try lab.publish("records", version: 3)
      let next = try lab.strings()
      #expect(await next.checkForUpdates() == .init(status: .updated, updatedLocales: ["de"]))
      #expect(await lab.paths(after: 4) == ["manifest", "texts/de?project=1&version=1&target_version=3"])
      for strings in [next, try lab.strings()] {
        #expect(strings.text("title").text == "Anfang")
        #expect(strings.text("old").source == .key)
        // The old form for one is gone with the rest of the text.
        #expect(strings.text("n", count: 1, value: "%lld").text == "%1$lld Sachen")
      }
      // Another base: all texts again.
      try lab.publish("records", version: 4, base: 4)
      #expect(await next.checkForUpdates().status == .updated)
      #expect(await lab.paths(after: 6) == ["manifest", "texts/de?project=1&target_version=4"])
      #expect(next.text("title").text == "Los")
    }

    @Test("a server is asked in the newest contract first, and then in the one that it knows", arguments: [404, 400])
    func order(refusal: Int) async throws {
      let lab = try await Lab()
      try lab.publish("catalogs", version: 1, refusal: refusal)
      let strings = try lab.strings()
      #expect(await strings.checkForUpdates().status == .updated)
      #expect(strings.text("title").text == "Start" && strings.text("only english").text == "English")
      #expect(strings.text("n", count: 1, value: "%lld").text == "Ein Ding")
      #expect(await lab.paths(after: 0).prefix(2) == ["manifest", "manifest?platform=ios_xcstrings"])
      #expect(try await lab.strings().checkForUpdates().status == .noChange)
      // The newest contract is tried again by each check, since the server may move on.
      #expect(await lab.paths(after: 4) == ["manifest", "manifest?platform=ios_xcstrings"])
      // The server moves on.
      try lab.publish("records", version: 2, refusal: refusal)
      #expect(await strings.checkForUpdates().status == .updated)
      #expect(strings.text("title").text == "Anfang")
      // And a server of the first kind.
      try lab.publish("flat", version: 1, refusal: refusal)
      let flat = try lab.strings(cache: "flat")
      #expect(await flat.checkForUpdates() == .init(status: .updated, updatedLocales: ["de", "en"]))
      #expect(flat.text("title").text == "Start")
      let count = await lab.server.requests(1).count
      #expect(await flat.checkForUpdates().status == .noChange)
      #expect(
        Set(await lab.paths(after: count)) == [
          "manifest", "manifest?platform=ios_xcstrings", "manifest?platform=ios", "ios/de", "ios/en",
        ])
    }

    @Test("a list that is older than the texts is asked for once more, whole")
    func stale() async throws {
      let lab = try await Lab()
      try lab.publish("records", version: 2)
      let strings = try lab.strings()
      _ = await strings.checkForUpdates()
      try lab.publish("records", version: 2, mutation: "manifest an older version")
      let result = await strings.checkForUpdates()
      #expect(result.status == .failed && result.errorMessage?.contains("older than its texts") == true)
      // The second time all texts are asked for: the server may have been restored from a copy.
      let paths = await lab.paths(after: 3)
      #expect(paths.prefix(2) == ["manifest", "manifest"])
      #expect(
        paths.dropFirst(2).sorted() == ["texts/de?project=1&target_version=1", "texts/en?project=1&target_version=0"])
      #expect(
        await lab.server.requests(7).prefix(5).map { $0["etag"].isPresent } == [false, false, false, true, false])
      #expect(strings.text("title").text == "Anfang")
      // The texts are newer than the list of the first process.
      try lab.publish("records", version: 3, mutation: "manifest an older version")
      let other = try lab.strings(cache: "other")
      #expect(await other.checkForUpdates().status == .failed)
      #expect(Set(await lab.paths(after: 7)).count == 3 && strings.text("title").text == "Anfang")
      try lab.publish("records", version: 3)
      #expect(await strings.checkForUpdates().status == .updated)
      #expect(await other.checkForUpdates().status == .updated)
    }

    @Test("a server that was restored from a copy has older texts, and they are taken")
    func restored() async throws {
      let lab = try await Lab()
      try lab.publish("records", version: 3)
      let strings = try lab.strings()
      _ = await strings.checkForUpdates()
      try lab.publish("records", version: 2)
      #expect(await strings.checkForUpdates() == .init(status: .updated, updatedLocales: ["de"]))
      #expect(strings.text("old").text == "weg")
    }

    @Test("a server without the difference is asked for all texts", arguments: [400, 404, 410, 500, 200])
    func noDifference(status: Int) async throws {
      let lab = try await Lab()
      try lab.publish("records", version: 1)
      let strings = try lab.strings()
      _ = await strings.checkForUpdates()
      try lab.publish("records", version: 2, mutation: "difference \(status)")
      #expect(await strings.checkForUpdates().status == .updated)
      #expect(strings.text("title").text == "Anfang" && strings.text("old").text == "weg")
    }

    @Test("a chosen language is received when it is somebody's, and all are listed with their names")
    func languages() async throws {
      let lab = try await Lab()
      try lab.publish("records", version: 1, main: "de")
      let strings = try lab.strings("de")
      #expect(await strings.checkForUpdates().updatedLocales == ["de"])
      #expect(
        strings.languages == [
          ReRuneLocale(identifier: "de", name: "Deutsch"), ReRuneLocale(identifier: "en"),
        ])
      #expect(strings.selectedLocale == nil)
      strings.select("en_GB")
      #expect(strings.selectedLocale == "en-GB")
      // The main language, until the texts are there.
      #expect(strings.text("title").text == "Start")
      #expect(await strings.checkForUpdates().updatedLocales == ["en"])
      #expect(strings.text("title").text == "Home")
      strings.select(nil)
      #expect(strings.text("title").text == "Start")
      strings.select("en")
      #expect(strings.text("title").text == "Home")
    }

    private static func mutations() async throws -> [String] {
      let script = Fixtures.tests.appendingPathComponent("Content/ReRuneTests/contracts.py").path
      let list = try await RunningProgram(URL(fileURLWithPath: "/usr/bin/python3"), ["-B", script, "list"]).finish()
      return list.output.split(separator: "\n").map(String.init)
    }

    /// Each key has its text of the first or of the second version, in this process and in the next; and once the server is
    /// right again, all are those of the second.
    ///
    /// - Parameter base: 1 for a difference to the first version, 2 for all texts.
    @Test(
      "no answer of a server takes a good text away",
      arguments: [("records", 1), ("records", 2), ("catalogs", 1), ("catalogs", 2), ("flat", 1)])
    func mutations(contract: String, base: Int) async throws {
      let lab = try await Lab()
      let names = try await Self.mutations()
      #expect(names.count >= 40)
      try lab.publish(contract, version: 1)
      #expect(try await lab.strings(cache: "first").checkForUpdates().status == .updated)
      for (number, name) in names.enumerated() {
        let cache = "cache-\(number)"
        try FileManager.default.copyItem(atPath: lab.folder.file("first"), toPath: lab.folder.file(cache))
        let strings = try lab.strings(cache: cache)
        #expect(strings.text("title").text == "Start")
        try lab.publish(contract, version: 2, mutation: name, base: base)
        let result = await strings.checkForUpdates()
        for strings in [strings, try lab.strings(cache: cache)] {
          let title = strings.text("title").text
          #expect(["Start", "Anfang"].contains(title), "\(name): \(title)")
          #expect((result.status == .updated) == (title == "Anfang"), "\(name): \(result)")
          #expect(strings.text("old").text == "weg", "\(name)")
          #expect(strings.text("only english").text == "English", "\(name)")
          #expect(contract == "flat" || strings.text("n", count: 1, value: "%lld").text == "Ein Ding", "\(name)")
        }
        try lab.publish(contract, version: 2, base: base)
        _ = await strings.checkForUpdates()
        #expect(strings.text("title").text == "Anfang", "\(name), and then a right answer")
      }
    }

    @Test("a wrong first answer is no text, and the next check has the right ones", arguments: ["records", "catalogs"])
    func wrongFirstAnswers(contract: String) async throws {
      let lab = try await Lab()
      for (number, name) in try await Self.mutations().enumerated() where name.hasPrefix("texts ") {
        try lab.publish(contract, version: 2, mutation: name)
        let strings = try lab.strings(cache: "cache-\(number)")
        _ = await strings.checkForUpdates()
        #expect(["title", "Anfang"].contains(strings.text("title").text), "\(name)")
        try lab.publish(contract, version: 2)
        _ = await strings.checkForUpdates()
        #expect(strings.text("title").text == "Anfang", "\(name), and then a right answer")
      }
    }
  }
}
