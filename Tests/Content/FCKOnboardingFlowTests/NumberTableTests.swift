import TestSupport
import Testing

@testable import FCKOnboardingFlow

/// The table of locales against ICU. ICU 72 has CLDR 42, as the table; other versions differ in some locales.
@Suite struct NumberTableTests {
  private static let candidates: [Unicode.Scalar] = [".", ",", "'", "\u{2019}", " ", "\u{A0}", "\u{2009}", "\u{202F}"]

  @Test("the separators are those of CLDR", .enabled(if: (try? ICU())?.version == 72))
  func separators() throws {
    let icu = try ICU()
    var different: Set<String> = []
    var count = 0
    for locale in try icu.locales {
      let format = FlowNumberFormat(locale: locale)
      // A language that is not in the table is no locale: what is ambiguous is told.
      guard format.isKnown else { continue }
      count += 1
      let numbers = try icu.numbers(locale)
      let groups = Self.candidates.filter(format.isGroupSeparator)
      if String(format.decimal) != numbers.decimal || groups != Self.alike(numbers.group) { different.insert(locale) }
    }
    #expect(count > 450, "\(count)")
    #expect(
      different == [
        // Two separators of groups are common beside each other.
        "de_AT", "en_AT", "fr_CH",
        // The table has no scripts.
        "uz_Arab", "uz_Arab_AF",
      ])
    // CLDR and the C library disagree, so none of them is believed.
    #expect(!FlowNumberFormat(locale: "en_ZA").isKnown)
  }

  /// The separators that mean the same: any space, and both apostrophes.
  private static func alike(_ group: String) -> [Unicode.Scalar] {
    let kinds: [[Unicode.Scalar]] = [["."], [","], ["'", "\u{2019}"], [" ", "\u{A0}", "\u{2009}", "\u{202F}"]]
    return kinds.first { $0.contains { String($0) == group } } ?? []
  }

  @Test("groups of two are read wherever CLDR writes them", .enabled(if: (try? ICU())?.version == 72))
  func groupsOfTwo() throws {
    let icu = try ICU()
    var more: Set<String> = []
    var count = 0
    for locale in try icu.locales where FlowNumberFormat(locale: locale).isKnown {
      let isRead = FlowNumberFormat(locale: locale).hasGroupsOfTwo
      guard try icu.numbers(locale).hasGroupsOfTwo else {
        if isRead { more.insert(locale) }
        continue
      }
      count += 1
      #expect(isRead, "\(locale)")
    }
    #expect(count > 20, "\(count)")
    // They are common in the whole country, or beside groups of three, and cannot be another number.
    #expect(
      more == [
        "bho", "bho_IN", "bo_IN", "doi", "doi_IN", "en_PK", "kn", "kn_IN", "kok", "kok_IN", "mai", "mai_IN", "pa_Arab",
        "pa_Arab_PK", "ps_PK", "sd_Arab_PK", "sd_Deva_IN", "si_LK", "ta_MY", "ta_SG", "ur_IN", "ur_PK",
      ])
  }
}
