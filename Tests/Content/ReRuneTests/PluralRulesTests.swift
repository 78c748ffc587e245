import TesseraLocales
import TestSupport
import Testing

@testable import ReRune

/// The rules beside those of ICU 72 (CLDR 42), which Debian 12 has.
@Suite struct PluralRulesTests {
  @Test func pluralFormsAreThoseOfICUForEachLocale() throws {
    let icu = try ICU()
    let numbers =
      Array(0...1_210) + [10_000, 40_000, 60_000, 100_000, 120_000, 1_000_000, 1_000_001, 2_000_000, 1_100_000]
    var behaviours: Set<[String]> = []
    for locale in try icu.locales {
      let rules = PluralRules(try #require(LocaleTag(locale)))
      let expected = try icu.categories(locale, numbers)
      behaviours.insert(expected)
      for (number, category) in zip(numbers, expected) where rules.category(of: number).rawValue != category {
        Issue.record("\(locale) \(number): \(rules.category(of: number)), and \(category) by ICU")
        break
      }
    }
    #expect(behaviours.count == 27)
  }

  @Test func theExtremesOfIntegersHaveACategory() throws {
    for language in ["ru", "ar", "cy", "kw", "br", "xx"] {
      let rules = PluralRules(try #require(LocaleTag(language)))
      #expect(rules.category(of: -1) == rules.category(of: 1))
      _ = rules.category(of: .min)
      _ = rules.category(of: .max)
    }
  }
}
