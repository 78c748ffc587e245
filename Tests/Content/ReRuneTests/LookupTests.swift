import Foundation
import TesseraHTTPClient
import TesseraLocales
import TesseraThreads
import Testing

@testable import ReRune

@Suite struct LookupTests {
  private static func lab(_ texts: String, _ locale: String = "de") async throws -> (StringsLab, OverTheAirStrings) {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 1, "locales": ["\#(locale)"]}"#)
    lab.server.publishTexts(locale, texts, etag: "\"a\"")
    return (lab, try lab.strings())
  }

  @Test func theOrderOfTheSources() async throws {
    let (lab, _) = try await Self.lab(#"{"a": "update", "empty": ""}"#)
    try lab.bundle("a = bundled; b = bundled; empty = bundled;", "de")
    try lab.bundle("a = other;", "de", table: "Other")
    let strings = try lab.strings()
    #expect(strings.text("a") == FoundText(text: "bundled", source: .bundled))
    _ = await strings.checkForUpdates()
    #expect(strings.text("a", value: "value") == FoundText(text: "update", source: .update))
    #expect(strings.text("empty", value: "value") == FoundText(text: "", source: .update))
    #expect(strings.text("b", value: "value") == FoundText(text: "bundled", source: .bundled))
    #expect(strings.text("c", value: "value") == FoundText(text: "value", source: .default))
    #expect(strings.text("c", value: "") == FoundText(text: "", source: .default))
    #expect(strings.text("c") == FoundText(text: "c", source: .key))
    // Other tables have bundled texts only.
    #expect(strings.bundledText("a", table: "Other", folder: nil).text == "other")
    #expect(strings.bundledText("empty", table: "Other", folder: nil) == FoundText(text: "empty", source: .key))
    #expect(strings.bundledText("a", table: "Localizable", folder: lab.folder.file("resources")).text == "bundled")
    for name in ["", "../Localizable", "None"] {
      #expect(strings.bundledText("a", table: name, folder: nil, value: "v") == FoundText(text: "v", source: .default))
    }
  }

  @Test func specificTextsComeFirst() async throws {
    let lab = try StringsLab()
    for (tag, key) in [("en", "e"), ("Base", "b"), ("de", "d"), ("de_AT", "a"), ("fr", "f")] {
      let all = ["e", "b", "d", "a"].drop { $0 != key }
      try lab.bundle((all.isEmpty ? ["f"] : Array(all)).map { "\($0) = \(tag);" }.joined(), tag)
    }
    let strings = try lab.strings("de-AT")
    #expect(["e", "b", "d", "a", "f"].map { strings.text($0).text } == ["en", "Base", "de", "de_AT", "f"])
    lab.server.publishManifest(#"{"locales": ["de", "de-AT", "en"]}"#)
    lab.server.publishTexts("de", #"{"a": "u-de", "b": "u-de"}"#, etag: nil)
    lab.server.publishTexts("de-AT", #"{"b": "u-at"}"#, etag: nil)
    lab.server.publishTexts("en", #"{"e": "u-en"}"#, etag: nil)
    #expect(await strings.checkForUpdates().updatedLocales == ["de", "de-AT"])
    // Since 1.5 of the SDK a bundled text for the region counts more than one of the server for the language. English has no
    // say, since the manifest names no main language.
    #expect(["e", "b", "d", "a"].map { strings.text($0).text } == ["en", "u-at", "de", "de_AT"])
  }

  @Test func textsWithOtherPlaceholdersAreDropped() async throws {
    let (lab, _) = try await Self.lab(
      #"{"count": "%s Dinge", "same": "Noch %d", "none": "%d", "plain": "x", "lost": "keine", "key %d": "%@", "ok %d": "gut %d"}"#
    )
    try lab.bundle(#""count" = "%d items"; "same" = "%d left"; "lost" = "%d";"#, "en")
    for strings in [try lab.strings("de"), try lab.strings("de")] {
      _ = await strings.checkForUpdates()
      #expect(strings.text("count") == FoundText(text: "%d items", source: .bundled))
      #expect(strings.text("same").text == "Noch %d")
      #expect(strings.text("lost") == FoundText(text: "%d", source: .bundled))
      // Without a bundled text, the caller's text is what it is compared with.
      #expect(strings.text("none", value: "%d") == FoundText(text: "%d", source: .update))
      #expect(strings.text("none", value: "%s") == FoundText(text: "%s", source: .default))
      #expect(strings.text("none") == FoundText(text: "none", source: .key))
      #expect(strings.text("plain", value: "%d").text == "x")
      #expect(strings.text("key %d") == FoundText(text: "key %d", source: .key))
      #expect(strings.text("ok %d").text == "gut %d")
    }
    #expect(lab.log.all.contains { $0.hasPrefix("warning: 2 texts") })
  }

  @Test func aFormatThatIsTooLongIsDropped() async throws {
    let long = String(repeating: "x", count: 16 << 10)
    let (lab, strings) = try await Self.lab(#"{"a": "%d\#(long)", "b": "%d \#(long.dropLast(3))", "c": "\#(long)yz"}"#)
    _ = await strings.checkForUpdates()
    let used = try lab.strings("de")
    #expect(used.text("a", value: "%d").source == .default)
    #expect(used.text("b", value: "%d").source == .update)
    #expect(used.text("c", value: "%d").source == .update)
  }

  /// Nothing is read before it is needed, nor kept for ever.
  @Test func bundledTablesAreBounded() throws {
    let lab = try StringsLab()
    try lab.bundle("a = en;", "en", table: "Other")
    let tables = BundledTables()
    for number in 0...(BundledTables.maximumCount * 2) {
      _ = tables.table("None\(number)", in: lab.folder.file("resources"), LocaleChain("de"))
      #expect(tables.count <= BundledTables.maximumCount)
    }
    #expect(tables.table("Other", in: lab.folder.file("resources"), LocaleChain("de")).text("a")?.text == "en")
  }

  @Test func englishIsReadOnce() throws {
    let lab = try StringsLab()
    try lab.bundle("a = en;", "en")
    try lab.bundle("a = Base; b = Base;", "Base")
    let bundled = BundledStrings(folder: lab.folder.file("resources"))
    #expect(bundled.payloads(LocaleChain("en-GB")).count == 2)
    #expect(bundled.payloads(LocaleChain("de")).count == 2)
    #expect(try lab.strings("en-GB").text("a").text == "en")
    #expect(try lab.strings("de").text("a").text == "Base")
  }

  @Test func reservedKeysHaveNoTextsOfTheServer() async throws {
    let (lab, _) = try await Self.lab(#"{"tessera.consent": "Yes", "tessera.": "a", "tessera": "b", "Tessera.x": "c"}"#)
    try lab.bundle(#""tessera.consent" = "May this page sign?";"#, "de")
    let strings = try lab.strings("de")
    _ = await strings.checkForUpdates()
    #expect(strings.text("tessera.consent") == FoundText(text: "May this page sign?", source: .bundled))
    #expect(strings.text("tessera.").source == .key)
    #expect(strings.text("tessera").text == "b")
    #expect(strings.text("Tessera.x").text == "c")
  }

  @Test func bundledTextsStayAsTheyAre() throws {
    let lab = try StringsLab()
    try lab.bundle("\"a\" = \"\u{202E}b\";", "de")
    #expect(try lab.strings("de").text("a").text == "\u{202E}b")
  }

  @Test func unusableFilesAreLeftOut() throws {
    let lab = try StringsLab()
    try lab.bundle("a = en; b = en;", "en")
    try lab.bundle("a = ", "de")
    try FileManager.default.createDirectory(
      atPath: lab.folder.file("resources/Base.lproj/Localizable.strings"), withIntermediateDirectories: true)
    #expect(try lab.strings("de").text("a").text == "en")
    #expect(lab.log.all.contains { $0.hasPrefix("warning: Bundled texts are invalid") })
  }

  @Test func aTableFindsEachOfItsKeys() throws {
    let count = 20_000
    let body = "{" + (0..<count).map { "\"key.\($0)\":\"text \($0)\"" }.joined(separator: ",") + "}"
    let table = try TranslationPayload(Array(body.utf8)).table()
    #expect(table.count == count)
    for index in 0..<count { #expect(table.text("key.\(index)")?.text == "text \(index)") }
    for key in ["", "key.", "key.20000", "key.-1", String(repeating: "k", count: 100)] {
      #expect(table.text(key) == nil)
    }
  }

  /// Keys are equal if their bytes are: a lookup takes no time for the equivalences of Unicode.
  @Test func keysAreComparedByTheirBytes() throws {
    let table = try TranslationPayload(Array("{\"\u{E9}\": \"one\"}".utf8)).table()
    #expect(table.text("\u{E9}")?.text == "one")
    #expect(table.text("e\u{301}") == nil)
  }
}
