import TestSupport
import Testing

@testable import TesseraLocales

/// The tables beside those of ICU 72 (CLDR 42), which Debian 12 has.
@Suite struct ICUTests {
  /// `no` is a tag of its own in ICU; here it is `nb`.
  private static func languages(_ icu: ICU) throws -> [String] {
    Set(try icu.locales.map { String($0.prefix { $0 != "_" }) }).sorted()
  }

  @Test func likelyScriptsAreThoseOfICUForEachLanguageAndRegion() throws {
    let icu = try ICU()
    var compared = 0
    for language in try Self.languages(icu) where language != "no" {
      for region in try icu.regions {
        let expected = try icu.likely("\(language)_\(region)").split(separator: "_")
        let tag = try #require(LocaleTag("\(language)-\(region)"))
        let likely = LocaleParts(tag).likely
        guard expected.count == 3, likely.script != nil else {
          Issue.record("\(language)-\(region) has no likely script")
          continue
        }
        if likely.script != String(expected[1]) { Issue.record("\(tag): \(likely.script ?? "") and \(expected)") }
        compared += 1
      }
    }
    #expect(compared > 50_000)
  }

  @Test func likelyRegionsAreThoseOfICUForEachLocale() throws {
    let icu = try ICU()
    for locale in try icu.locales where !locale.hasPrefix("no") {
      let parts = locale.split(separator: "_")
      guard parts.count < 3, parts.last.map({ $0.utf8.count == 4 || parts.count == 1 }) == true else { continue }
      let tag = try #require(LocaleTag(locale))
      let likely = LocaleParts(tag).likely
      let found = [likely.language, likely.script ?? "", likely.region ?? ""].joined(separator: "_")
      let expected = try icu.likely(locale)
      #expect(expected == found)
    }
  }
}
