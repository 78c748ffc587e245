import Foundation
import TesseraCore
import TesseraHTTPClient
import TesseraThreads
import Testing

@testable import ReRune

/// One check: what is asked, what is stored, and what a lookup finds after it.
@Suite struct UpdateTests {
  private static func manifest(_ revision: Int, _ locales: String) -> String {
    #"{"revision": \#(revision), "locales": \#(locales)}"#
  }

  @Test func textsOfTheServerAreFoundAfterACheck() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["en", "de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    #expect(strings.text("home_title") == FoundText(text: "home_title", source: .key))
    let result = await strings.checkForUpdates()
    #expect(result == ReRuneUpdateResult(status: .updated, updatedLocales: ["de-AT"]))
    #expect(strings.text("home_title") == FoundText(text: "Servus", source: .update))
    #expect(strings.revision == 7)
  }

  @Test func requestsHaveTheirAddressesAndTheId() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(
      #"{"locales": {"de_AT": null, "de": {"url": "https://cdn.example/de"}}}"#)
    lab.server.publish("https://cdn.example/de", #"{"a": "b"}"#, etag: nil)
    lab.server.publishTexts("de_AT", #"{"c": "d"}"#, etag: nil)
    let strings = try lab.strings()
    #expect(await strings.checkForUpdates().updatedLocales == ["de", "de-AT"])
    #expect(lab.server.asked.first?.address == "https://rerune.io/api/sdk/translations/manifest")
    #expect(
      Set(lab.server.asked.map(\.address)) == [
        StubServer.manifestPath, "https://rerune.io/api/sdk/translations/ios/de_AT", "https://cdn.example/de",
      ])
    #expect(lab.server.asked.first { $0.address.contains("cdn") }?.id == nil)
    #expect(lab.server.asked.filter { $0.id == StringsLab.id }.count == 2)
  }

  @Test func anotherPortIsAnotherServer() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"locales": {"de": {"url": "https://rerune.io:8443/de"}}}"#)
    lab.server.publish("https://rerune.io:8443/de", #"{"a": "b"}"#, etag: "\"a\"")
    #expect(try await lab.strings().checkForUpdates().status == .updated)
    #expect(lab.server.asked.map(\.id) == [StringsLab.id, nil])
  }

  /// Only the server that issued an entity tag can compare it.
  @Test func anotherServerGetsNoEntityTag() async throws {
    let lab = try StringsLab()
    let cdn = "https://cdn.example/de"
    lab.server.publish(cdn, #"{"a": "cdn"}"#, etag: "\"a\"")
    lab.server.publishTexts("de", #"{"a": "rerune"}"#, etag: "\"a\"")
    lab.server.publishManifest(#"{"locales": {"de": {"url": "\#(cdn)", "etag": "\"a\""}}}"#, etag: nil)
    _ = try await lab.strings().checkForUpdates()
    // The manifest names the same tag for another server. So the texts are asked for, and without the tag.
    lab.server.publishManifest(#"{"locales": {"de": {"etag": "\"a\""}}}"#, etag: nil)
    lab.server.forget()
    let strings = try lab.strings()
    #expect(await strings.checkForUpdates().updatedLocales == ["de"])
    #expect(strings.text("a").text == "rerune")
    #expect(lab.server.asked.map(\.entityTag) == [nil, nil])
    // For the same server the tag counts.
    lab.server.forget()
    #expect(await strings.checkForUpdates().status == .noChange)
    #expect(lab.server.asked.count == 1)
  }

  @Test func requestsHaveTheTimeLimitOfSetup() async throws {
    let lab = try StringsLab()
    let limits = Locked<[Duration]>([])
    for (path, body) in [
      (StubServer.manifestPath, #"{"locales": ["de"]}"#), (StubServer.textsPath("de"), #"{"a": "b"}"#),
    ] {
      lab.server.answer(path) { request in
        limits.withLock { $0.append(request.timeLimit) }
        return HTTPResponse(status: 200, body: Array(body.utf8))
      }
    }
    var configuration = try lab.configuration()
    configuration.requestTimeout = .milliseconds(1_234)
    let strings = OverTheAirStrings()
    strings.setup(configuration)
    #expect(await strings.checkForUpdates().status == .updated)
    #expect(limits.withLock { $0 } == [.milliseconds(1_234), .milliseconds(1_234)])
  }

  @Test(arguments: ["http://rerune.io/api/x", "ftp://rerune.io/x", "https://a:b@rerune.io/x", "https://rerune.io/a b"])
  func addressesWithoutHTTPSAreNotUsed(address: String) async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"locales": {"de": {"url": "\#(address)"}}}"#)
    let strings = try lab.strings()
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .noChange))
    #expect(lab.server.asked.count == 1)
  }

  @Test func aSecondCheckValidatesBothAndWritesNothing() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["en", "de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    let files = try lab.cacheFiles
    #expect(Set(files.keys) == ["manifest.json", "locale-de-AT.json"])
    for next in [strings, try lab.strings()] {
      lab.server.forget()
      #expect(await next.checkForUpdates() == ReRuneUpdateResult(status: .noChange))
      #expect(
        lab.server.asked == [
          .init(address: StubServer.manifestPath, entityTag: "\"m1\"", id: StringsLab.id),
          .init(address: StubServer.textsPath("de-AT"), entityTag: "\"a\"", id: StringsLab.id),
        ])
      #expect(try lab.cacheFiles == files)
    }
  }

  /// The manifest says that the texts are those of the cache.
  @Test func aNewManifestWithTheSameTagAsksForNoTexts() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"{"de-AT": "\"a\""}"#))
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    lab.server.publishManifest(Self.manifest(8, #"{"de-AT": "\"a\""}"#), etag: "\"m2\"")
    lab.server.forget()
    #expect(await strings.checkForUpdates().status == .noChange)
    #expect(lab.server.asked.map(\.address) == [StubServer.manifestPath])
    // The number rises in silence.
    #expect(strings.revision == 8)
  }

  @Test func anUnchangedManifestCanHaveChangedTexts() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    var revisions = strings.revisions().makeAsyncIterator()
    #expect(await revisions.next() == 0)
    #expect(await strings.checkForUpdates().status == .updated)
    #expect(await revisions.next() == 7)
    lab.server.publishTexts("de-AT", #"{"home_title": "Griaß di"}"#, etag: "\"b\"")
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .updated, updatedLocales: ["de-AT"]))
    // The same number again.
    #expect(await revisions.next() == 7)
    #expect(strings.text("home_title").text == "Griaß di")
  }

  /// Another order and another entity tag of the same texts are no change.
  @Test func theSameTextsInAnotherFormAreNoChange() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"a": "1", "b": "2"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    lab.server.publishTexts("de-AT", "b = \"2\"; a = \"1\";", etag: "\"b\"", type: "text/plain")
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .noChange))
    lab.server.forget()
    _ = await strings.checkForUpdates()
    #expect(lab.server.asked.last?.entityTag == "\"b\"")
  }

  @Test func aManifestWithoutARevisionKeepsTheNumber() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, "[]"))
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    lab.server.publishManifest(#"{"locales": []}"#, etag: nil)
    #expect(await strings.checkForUpdates().status == .noChange)
    #expect(strings.revision == 7)
  }

  @Test func aLocaleThatFailsKeepsItsTexts() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["de", "de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"a": "AT"}"#, etag: "\"a\"")
    lab.server.publishTexts("de", #"{"b": "DE"}"#, etag: "\"b\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    lab.server.answer(StubServer.textsPath("de-AT")) { _ in HTTPResponse(status: 500) }
    lab.server.publishTexts("de", #"{"b": "neu"}"#, etag: "\"c\"")
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .updated, updatedLocales: ["de"]))
    #expect(strings.text("a").text == "AT")
    #expect(strings.text("b").text == "neu")
    // Alone it is no change.
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .noChange))
    #expect(lab.log.all.contains { $0.hasPrefix("warning:") && $0.contains("de-AT") && $0.contains("500") })
    // The manifest's entity tag does not hide the texts that failed.
    lab.server.publishTexts("de-AT", #"{"a": "wieder"}"#, etag: "\"d\"")
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .updated, updatedLocales: ["de-AT"]))
  }

  @Test(arguments: [
    "", "[]", "null", "7", "{", "{}", #"{"revision": 7}"#, #"{"locales": null}"#, #"{"locales": 5}"#,
    #"{"locales": "de-AT"}"#, #"{"locales": []} x"#, "\u{FEFF}x", #"{"locales": [}"#,
    String(repeating: "[", count: 100_000),
  ])
  func badManifestsFailAndChangeNothing(body: String) async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    let files = try lab.cacheFiles
    lab.server.publishManifest(body, etag: nil)
    let result = await strings.checkForUpdates()
    #expect(result.status == .failed)
    #expect(result.errorMessage?.contains("list of texts is invalid") == true)
    #expect(try lab.cacheFiles == files)
    #expect(strings.text("home_title").text == "Servus")
    #expect(strings.revision == 7)
  }

  @Test func bytesThatAreNoUTF8AreNoManifest() {
    #expect(TranslationManifest([UInt8](#"{"locales":["\#("d")"#.utf8) + [0xFF] + Array("\"]}".utf8)) == nil)
  }

  @Test func refusalsNameTheId() async throws {
    let lab = try StringsLab()
    for status in [401, 403] {
      lab.server.answer(StubServer.manifestPath) { _ in HTTPResponse(status: status) }
      let result = try await lab.strings().checkForUpdates()
      #expect(result.status == .failed)
      #expect(result.errorMessage?.contains("publish id") == true)
      #expect(result.errorMessage?.contains("\(status)") == true)
    }
    for status in [204, 404, 410, 500, 503] {
      lab.server.answer(StubServer.manifestPath) { _ in HTTPResponse(status: status) }
      let result = try await lab.strings().checkForUpdates()
      #expect(result.status == .failed)
      #expect(result.errorMessage?.contains("\(status)") == true)
    }
    for error in [HTTPError.unreachable(host: "rerune.io"), .offline] {
      lab.server.answer(StubServer.manifestPath) { _ in throw error }
      let result = try await lab.strings().checkForUpdates()
      #expect(result.status == .failed)
      #expect(result.errorMessage == error.failure.description)
    }
  }

  /// The remedies of the HTTP client are for files: they speak of another program that downloads one.
  @Test(
    arguments: [
      (.status(404), "The server knows no texts for the publish id", "Compare it"),
      (.status(500), "HTTP status 500", "Try again later."), (.status(511), "sign in", "in a browser"),
      (.timeLimit(.seconds(10)), "within 10 seconds.", "Try again"),
      (.timeLimit(.milliseconds(250)), "within 250 milliseconds.", "Try again"),
      (.timeLimit(.seconds(1)), "within 1 second.", "Try again"),
      (.timeLimit(.seconds(Int64.min)), "within", "Try again"),
      (.redirect(.refused(to: nil)), "another address", "signing in"),
      (.tooLarge(limit: 5), "more than 5 bytes", "Try again"), (.invalidResponse, "invalid", "Try again"),
      (.interrupted(host: "rerune.io"), "interrupted", "Try again"),
    ] as [(HTTPError, String, String)])
  func failedChecksSayWhatToDo(error: HTTPError, cause: String, remedy: String) async throws {
    let lab = try StringsLab()
    lab.server.answer(StubServer.manifestPath) { _ in throw error }
    let strings = try lab.strings()
    let failure = await #expect(throws: Failure.self) { try await strings.checkOrThrow() }
    #expect(failure?.kind == .serviceUnavailable)
    #expect(failure?.cause.contains(cause) == true)
    #expect(failure?.remedy?.contains(remedy) == true)
  }

  /// A network that reads https, with a root that this machine trusts, answers each address with its page.
  @Test func aWebPageIsNamed() async throws {
    let lab = try StringsLab()
    lab.server.answer(StubServer.manifestPath) { _ in
      HTTPResponse(
        status: 200, body: Array("\n<!DOCTYPE html><title>Sign in</title>".utf8), mediaType: "text/html; charset=utf-8")
    }
    let strings = try lab.strings()
    let failure = await #expect(throws: Failure.self) { try await strings.checkOrThrow() }
    #expect(failure?.cause.contains("web page") == true && failure?.remedy?.contains("signing in") == true)
  }

  @Test func notModifiedWithoutACacheIsAskedAgainOnce() async throws {
    let lab = try StringsLab()
    lab.server.answer(StubServer.manifestPath) { _ in HTTPResponse(status: 304) }
    let strings = try lab.strings()
    #expect(await strings.checkForUpdates().status == .failed)
    #expect(lab.server.asked.count == 2)
    let count = Counter()
    lab.server.answer(StubServer.manifestPath) { _ in
      count.next() == 1 ? HTTPResponse(status: 304) : HTTPResponse(status: 200, body: Array(#"{"locales":[]}"#.utf8))
    }
    #expect(await strings.checkForUpdates().status == .noChange)
  }

  @Test func aLocaleGoneFromTheManifestIsNoLongerLookedUp() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"a": "AT"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    lab.server.publishManifest(Self.manifest(8, #"["fr"]"#), etag: "\"m2\"")
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .updated, updatedLocales: ["de-AT"]))
    #expect(strings.text("a").source == .key)
    #expect(try lab.strings().text("a").source == .key)
    // It stays in the cache, and is validated when it is there again.
    #expect(try lab.cacheFiles["locale-de-AT.json"] != nil)
    lab.server.publishManifest(Self.manifest(9, #"["de-AT"]"#), etag: "\"m3\"")
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .updated, updatedLocales: ["de-AT"]))
    #expect(lab.server.asked.last?.entityTag == "\"a\"")
    #expect(strings.text("a").text == "AT")
  }

  @Test(arguments: [
    "", "  ", "[0]", "3", #"{"a": "b""#, #"{"a": "\ud800"}"#, #"{"a": "b"} c"#, #"{"a": tru}"#, #"{"a": "x", }"#,
    "a = \"b\"",
    "a = ;", "/* ",
  ])
  func badTextsKeepTheOldOnes(body: String) async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(Self.manifest(7, #"["de-AT"]"#))
    lab.server.publishTexts("de-AT", #"{"a": "AT"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    _ = await strings.checkForUpdates()
    let files = try lab.cacheFiles
    lab.server.publishTexts("de-AT", body, etag: "\"b\"", type: "text/plain")
    let result = await strings.checkForUpdates()
    #expect(result.status == .failed && result.errorMessage?.contains("not understood") == true)
    #expect(strings.text("a").text == "AT")
    #expect(try lab.cacheFiles == files)
  }

  @Test func aCheckBeforeSetupFailsWithoutARequest() async {
    let result = await OverTheAirStrings().checkForUpdates()
    #expect(result.status == .failed)
    #expect(result.errorMessage?.contains("setup") == true)
    let failure = await #expect(throws: Failure.self) { try await OverTheAirStrings().checkOrThrow() }
    #expect(failure?.kind == .usage)
  }

  @Test func idsThatAreNoHeaderAreNotSent() async throws {
    let lab = try StringsLab()
    for id in ["a\r\nHost: x", "ümlaut", "a b"] {
      let result = try await lab.strings(id: id).checkForUpdates()
      #expect(result.status == .failed)
      #expect(result.errorMessage?.contains("publish id") == true)
    }
    #expect(lab.server.asked.isEmpty)
  }

  @Test func logsHaveFourCharactersOfTheIdOnly() async throws {
    let lab = try StringsLab()
    lab.server.answer(StubServer.manifestPath) { _ in HTTPResponse(status: 401) }
    let result = try await lab.strings().checkForUpdates()
    #expect(lab.log.all.contains { $0.contains("pub_…") })
    #expect(!lab.log.all.contains { $0.contains("pub_3") })
    #expect(result.errorMessage?.contains("pub_") == false)
  }
}
