import Foundation
import TesseraHTTPClient
import TestSupport
import Testing

@testable import ReRune

@Suite struct ManifestTests {
  private static func fixture(_ name: String) throws -> TranslationManifest {
    try #require(TranslationManifest(Fixtures.file("Content/ReRuneTests", "rerune-manifest-\(name).json")))
  }

  private static func addresses() throws -> ServerAddresses { try .standard() }

  @Test(arguments: [
    "array", "bundles-keyed-short", "bundles-language", "keyed", "strict-live", "translations-code",
  ])
  func everyVariantHasTheSameTwoLocales(name: String) throws {
    let manifest = try Self.fixture(name)
    #expect(Set(manifest.entries.keys.map(\.text)) == ["en", "de-AT"])
    #expect(manifest.revision == 7)
    let english = try #require(manifest.entries.first { $0.key.text == "en" }?.value)
    #expect(english.tag == (name == "strict-live" ? "71" : "W/\"en-7\""))
    let address = try Self.addresses().texts(english, .flat).text
    let isLive = name == "strict-live"
    #expect(address == "https://rerune.io/api/sdk/translations/\(isLive ? "ios_localizable_strings" : "ios")/en")
    let german = try #require(manifest.entries.first { $0.key.text == "de-AT" }?.value)
    #expect(german.tag == (isLive ? "72" : name == "bundles-keyed-short" ? nil : "W/\"de-AT-7\""))
    #expect(german.address == nil)
  }

  @Test func anEmptyManifestIsValid() throws {
    let manifest = try Self.fixture("empty")
    #expect(manifest.revision == 8)
    #expect(manifest.entries.isEmpty)
  }

  private static func manifest(_ text: String) -> TranslationManifest? { TranslationManifest(Array(text.utf8)) }

  private static func tags(_ text: String) -> [String: String?]? {
    manifest(text).map { Dictionary(uniqueKeysWithValues: $0.entries.map { ($0.key.text, $0.value.tag) }) }
  }

  @Test(
    arguments: [
      (#""revision": 7"#, 7), (#""revision": "7", "version": 8"#, 7), (#""version": 8"#, 8),
      (#""revision": null, "version": 8"#, 8),
      (#""revision": "x""#, nil), (#""revision": 7.5"#, nil), (#""revision": 1e3"#, nil), (#""revision": []"#, nil),
      (#""revision": 99999999999999999999999"#, nil), (#""x": 1"#, nil), (#""revision": -1"#, -1),
    ] as [(String, Int?)])
  func revisions(member: String, expected: Int?) throws {
    #expect(try #require(Self.manifest("{\(member), \"locales\": []}")).revision == expected)
  }

  @Test func elementsInEveryForm() {
    #expect(
      Self.tags(#"{"locales": ["de", "", 5, null, {}, {"locale": ""}, {"locale": 5}, {"etag": "x"}]}"#) == ["de": nil])
    #expect(
      Self.tags(#"{"locales": [{"locale": "de", "version": 7}, {"code": "fr", "etag": "a", "version": 2}]}"#)
        == ["de": "7", "fr": "a"])
    #expect(Self.tags(#"{"locales": [{"locale": "de", "etag": 1.50}]}"#) == ["de": "1.50"])
    // The last one of the same locale counts, also in another spelling.
    #expect(
      Self.tags(#"{"locales": [{"locale": "de-AT", "etag": "a"}, {"locale": "DE_at", "etag": "b"}]}"#) == ["de-AT": "b"]
    )
    // The first container counts.
    #expect(Self.tags(#"{"bundles": ["fr"], "locales": ["de"]}"#) == ["de": nil])
    #expect(Self.tags(#"{"bundles": ["fr"], "locales": null}"#) == ["fr": nil])
    // The key wins over the fields inside.
    #expect(Self.tags(#"{"locales": {"de": {"locale": "fr", "etag": "a"}, "it": 5, "": null}}"#) == ["de": "a"])
  }

  @Test func aByteOrderMarkIsIgnored() {
    #expect(Self.tags("\u{FEFF}" + #"{"locales": ["de"]}"#) == ["de": nil])
    #expect(Self.manifest("\u{FEFF}\u{FEFF}" + #"{"locales": ["de"]}"#) == nil)
  }

  @Test func namesAreTrimmedAndShort() throws {
    let space = String(repeating: " ", count: 1_000)
    let long = String(repeating: "x", count: 65)
    let manifest = try #require(Self.manifest(#"{"locales": ["\#(space)de_AT ", "\#(long)"]}"#))
    #expect(manifest.entries.map(\.value.name) == ["de_AT"])
  }

  @Test func shortValuesAreTagsOrAddresses() throws {
    let manifest = try #require(
      Self.manifest(#"{"locales": {"de": "https://a.example/de", "fr": "HTTP://a", "it": "v1"}}"#))
    let entries = Dictionary(uniqueKeysWithValues: manifest.entries.map { ($0.key.text, $0.value) })
    #expect(entries["de"] == .init(name: "de", address: "https://a.example/de"))
    #expect(entries["fr"] == .init(name: "fr", address: "HTTP://a"))
    #expect(entries["it"] == .init(name: "it", tag: "v1"))
  }

  @Test(arguments: [
    ("x/de", "https://rerune.io/api/x/de"), ("/x/de", "https://rerune.io/api/x/de"),
    ("/api/x/de", "https://rerune.io/api/x/de"),
    ("//evil.example/x", "https://rerune.io/api/evil.example/x"),
    ("https://cdn.example/x?y=1", "https://cdn.example/x?y=1"),
    ("HTTPS://rerune.io/x", "https://rerune.io/x"),
  ])
  func addressesAreResolved(address: String, expected: String) throws {
    let entry = TranslationManifest.Entry(name: "de", address: address)
    #expect(try Self.addresses().texts(entry, .records).text.lowercased() == expected)
  }

  @Test(arguments: [
    ("de-AT", "de-AT"), ("de AT", "de%20AT"), ("a/b", "a%2Fb"), ("ä", "%C3%A4"), ("a?b#c", "a%3Fb%23c"),
  ])
  func localesAreEncodedInThePath(locale: String, path: String) throws {
    let address = try Self.addresses().texts(TranslationManifest.Entry(name: locale), .flat).text
    #expect(address == "https://rerune.io/api/sdk/translations/ios/\(path)")
  }
}
