import Foundation
import TesseraHTTPClient
import TesseraJSON
import TesseraLocales
import TestSupport
import Testing

@testable import ReRune

@Suite struct CacheTests {
  private static func warm() async throws -> StringsLab {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de", "de-AT"]}"#)
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "W/\"de-AT-7\"")
    lab.server.publishTexts("de", #"{"bye": "Tschüss \"du\""}"#, etag: nil)
    _ = try await lab.strings().checkForUpdates()
    lab.server.answer(StubServer.manifestPath) { _ in throw HTTPError.unreachable(host: "rerune.io") }
    lab.server.forget()
    return lab
  }

  @Test func theFirstLookupWithoutANetworkFindsTheLastTexts() async throws {
    let lab = try await Self.warm()
    let strings = try lab.strings()
    #expect(strings.text("home_title") == FoundText(text: "Servus", source: .update))
    #expect(strings.text("bye").text == "Tschüss \"du\"")
    #expect(strings.revision == 7)
    #expect(lab.server.asked.isEmpty)
    #expect(await strings.checkForUpdates().status == .failed)
    #expect(strings.text("home_title").text == "Servus")
    // Another language has no texts yet.
    #expect(try lab.strings("fr").text("home_title").source == .key)
  }

  @Test func theFilesHaveTheirFormat() async throws {
    let lab = try await Self.warm()
    let files = try lab.cacheFiles
    #expect(Set(files.keys) == ["manifest.json", "locale-de.json", "locale-de-AT.json"])
    let record = try #require(files["locale-de-AT.json"]).bytes
    let sample = Fixtures.file("Content/ReRuneTests", "rerune-cache-record.json")
    #expect(
      try JSONValue(text: String(decoding: record, as: UTF8.self))
        == [
          "format": 1, "localeTag": "de-AT", "host": "rerune.io:443", "etag": "W/\"de-AT-7\"",
          "payload": #"{"home_title": "Servus"}"#,
        ])
    let tag = try #require(LocaleTag("de-AT"))
    #expect(LocaleRecord(file: sample, tag: tag)?.etag == "W/\"de-AT-7\"")
    #expect(try LocaleRecord(file: sample, tag: tag)?.payload.table().dictionary == ["home_title": "Servus"])
    for name in files.keys {
      var status = stat()
      #expect(stat("\(lab.cacheFolder)/\(name)", &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600)
    }
    var status = stat()
    #expect(stat(lab.cacheFolder, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o700)
    #expect(!lab.cacheFolder.contains(StringsLab.id))
  }

  @Test(arguments: [
    "", "{", "null", "[]", "{}", #"{"format":2,"localeTag":"de-AT","payload":"{\"home_title\":\"x\"}"}"#,
    #"{"format":"1","localeTag":"de-AT","payload":"{\"home_title\":\"x\"}"}"#,
    #"{"localeTag":"de-AT","payload":"{\"home_title\":\"x\"}"}"#,
    #"{"format":1,"localeTag":"de","payload":"{\"home_title\":\"x\"}"}"#,
    #"{"format":1,"localeTag":"de-AT","payload":{"home_title":"x"}}"#, #"{"format":1,"localeTag":"de-AT"}"#,
    #"{"format":1,"localeTag":"de-AT","payload":""}"#,
    #"{"format":1,"localeTag":"de-AT","payload":"{\"home_title\":\"x\"}"} x"#,
    #"{"format":1,"localeTag":"de-AT","payload":"{\"home_title\":\"x\"}""#,
    #"{"format":1,"localeTag":"de-AT","payload":"{\"home_title\""}"#,
    // The entity tag of a damaged payload would keep it damaged.
    #"{"format":1,"localeTag":"de-AT","host":"rerune.io:443","etag":"W/\"de-AT-7\"","payload":"{\"home_title\""}"#,
    "\u{FF}", #"{"format":1,"localeTag":"de-AT","payload":"\ud800"}"#,
  ])
  func aRecordThatCannotBeReadIsAbsent(content: String) async throws {
    let lab = try await Self.warm()
    try Data(content.utf8).write(to: URL(fileURLWithPath: "\(lab.cacheFolder)/locale-de-AT.json"))
    let strings = try lab.strings()
    #expect(strings.text("home_title").source == .key)
    #expect(strings.text("bye").text == "Tschüss \"du\"")
    // It is received again.
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de", "de-AT"]}"#)
    lab.server.forget()
    #expect(await strings.checkForUpdates().updatedLocales == ["de-AT"])
    #expect(strings.text("home_title").text == "Servus")
  }

  @Test(arguments: ["", "{", #"{"format":1,"body":"x"}"#, #"{"format":2,"body":"{\"locales\":[]}"}"#, #"{"format":1}"#])
  func aManifestThatCannotBeReadIsAbsent(content: String) async throws {
    let lab = try await Self.warm()
    try Data(content.utf8).write(to: URL(fileURLWithPath: "\(lab.cacheFolder)/manifest.json"))
    let strings = try lab.strings()
    // The texts are used nevertheless: the last process may have ended before it stored the manifest.
    #expect(strings.text("home_title").text == "Servus")
    #expect(strings.revision == 0)
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de", "de-AT"]}"#)
    lab.server.forget()
    #expect(await strings.checkForUpdates().status == .noChange)
    #expect(lab.server.asked.first?.entityTag == nil)
    #expect(strings.revision == 7)
  }

  @Test func linksAndForeignFoldersAreNotRead() async throws {
    let lab = try await Self.warm()
    let file = "\(lab.cacheFolder)/locale-de-AT.json"
    try FileManager.default.moveItem(atPath: file, toPath: lab.folder.file("moved"))
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: lab.folder.file("moved"))
    #expect(try lab.strings().text("home_title").source == .key)
    #expect(try lab.strings().text("bye").source == .update)
    chmod(lab.cacheFolder, 0o777)
    #expect(try lab.strings().text("bye").source == .key)
  }

  /// The texts are used while the process lives.
  @Test func aCacheThatCannotBeWrittenIsAnErrorInTheLogOnly() async throws {
    let lab = try StringsLab()
    try Data().write(to: URL(fileURLWithPath: lab.folder.file("cache")))
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de-AT"]}"#)
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    #expect(await strings.checkForUpdates().status == .updated)
    #expect(strings.text("home_title").text == "Servus")
    #expect(lab.log.all.contains { $0.hasPrefix("error: The texts cannot be stored.") })
    let second = await strings.checkForUpdates()
    #expect(second.status == .noChange)
    #expect(second.errorMessage?.hasPrefix("The texts cannot be stored.") == true)
  }

  /// Otherwise the next process would find a manifest that hides the texts it does not have.
  @Test func theManifestIsStoredAfterTheTextsOnly() async throws {
    let lab = try StringsLab()
    try lab.blockFile("locale-de-AT.json")
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de-AT", "de"]}"#)
    lab.server.publishTexts("de-AT", #"{"home_title": "Servus"}"#, etag: "\"a\"")
    lab.server.publishTexts("de", #"{"bye": "Tschüss"}"#, etag: "\"b\"")
    let strings = try lab.strings()
    let first = await strings.checkForUpdates()
    #expect(first.status == .updated)
    #expect(first.errorMessage?.hasPrefix("The texts cannot be stored.") == true)
    #expect(strings.text("home_title").text == "Servus")
    #expect(lab.hasFile("locale-de.json"))
    #expect(!lab.hasFile("manifest.json"))
    // The next check stores what is missing, although the server sends nothing again.
    try lab.unblockFile("locale-de-AT.json")
    #expect(await strings.checkForUpdates() == ReRuneUpdateResult(status: .noChange))
    #expect(lab.hasFile("locale-de-AT.json") && lab.hasFile("manifest.json"))
    #expect(try lab.strings().text("home_title").text == "Servus")
  }

  @Test func damagedTextsThatAreNotUsedAreReceivedAgain() async throws {
    let lab = try await Self.warm()
    lab.server.publishManifest(#"{"revision": 8, "locales": ["de"]}"#, etag: nil)
    _ = try await lab.strings().checkForUpdates()
    let record =
      #"{"format":1,"localeTag":"de-AT","host":"rerune.io:443","etag":"W/\"de-AT-7\"","payload":"{\"home"}"#
    try Data(record.utf8).write(to: URL(fileURLWithPath: "\(lab.cacheFolder)/locale-de-AT.json"))
    let strings = try lab.strings()
    lab.server.publishManifest(#"{"revision": 9, "locales": ["de", "de-AT"]}"#, etag: nil)
    #expect(await strings.checkForUpdates().updatedLocales == ["de-AT"])
    #expect(strings.text("home_title").text == "Servus")
  }

  @Test func theRevisionSurvivesAManifestWithoutOne() async throws {
    let lab = try await Self.warm()
    lab.server.publishManifest(#"{"locales": ["de-AT"]}"#, etag: nil)
    _ = try await lab.strings().checkForUpdates()
    #expect(try lab.strings().revision == 7)
  }

  /// Each control character takes six bytes in the record.
  @Test func textsOfControlCharactersAreReadAgain() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"locales": ["de-AT"]}"#)
    let noise = String(repeating: "\u{1}", count: 1_450_000)
    lab.server.publishTexts("de-AT", "a = \"\(noise)b\";", etag: "\"a\"", type: "text/plain")
    #expect(try await lab.strings().checkForUpdates().status == .updated)
    #expect(try lab.strings().text("a") == FoundText(text: "b", source: .update))
  }

  @Test func fileNamesHaveLettersDigitsAndHyphensOnly() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"locales": ["a!b/../c"]}"#)
    lab.server.answer("https://rerune.io/api/sdk/translations/ios/a%21b%2F..%2Fc") { _ in
      HTTPResponse(status: 200, body: Array(#"{"a": "b"}"#.utf8))
    }
    #expect(LocaleTag("a!b/")?.text == "a!b/")
    lab.server.publishManifest(#"{"locales": ["a!b/"]}"#)
    lab.server.publish("https://rerune.io/api/sdk/translations/ios/a%21b%2F", #"{"a": "b"}"#, etag: nil)
    #expect(try await lab.strings("a!b/").checkForUpdates().status == .updated)
    let names = Set(try lab.cacheFiles.keys)
    #expect(names == ["manifest.json", "locale-\(PublishId.hash("a!b/")).json"])
    #expect(try lab.strings("a!b/").text("a").text == "b")
  }

  @Test func eachPublishIdHasItsOwnTexts() async throws {
    let lab = try await Self.warm()
    #expect(try lab.strings(id: "other").text("home_title").source == .key)
    #expect(try lab.strings(id: " \(StringsLab.id)\n").text("home_title").text == "Servus")
  }

  /// An entity tag that could not be a header is not sent.
  @Test func aTagOfTheCacheIsNoHeaderOfItsOwn() {
    #expect(EntityTag.usable("\"a\"") == "\"a\"")
    for tag in ["", "a\r\nHost: x", "a\0", "ä", String(repeating: "a", count: 2_000)] {
      #expect(EntityTag.usable(tag) == nil)
    }
  }
}
