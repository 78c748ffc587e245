import TestSupport
import Testing

@testable import FCKOnboardingFlow

/// Numbers as people write them, by the locale.
@Suite struct NumberTests {
  private static func read(_ text: String, _ locale: String) -> String? {
    FlowNumber(text, FlowNumberFormat(locale: locale))?.text
  }

  @Test(
    "in every locale",
    arguments: [
      ("3", "3"), (" 3\t", "3"), ("\u{A0}3\u{202F}", "3"), ("007", "7"), ("0", "0"), ("-0", "0"), ("+3", "3"),
      ("-3", "-3"), ("\u{2212}3", "-3"), ("\u{FF0D}3", "-3"), ("\u{FF0B}3", "3"), ("\u{200E}-\u{200E}3", "-3"),
      ("\u{61C}-3\u{200F}", "-3"), ("1234567", "1234567"), ("12345678901234567890", "12345678901234567890"),
      // Digits of one script.
      ("١٢٣", "123"), ("۱۲۳", "123"), ("१२३", "123"), ("১২৩", "123"), ("１２３", "123"), ("๑๒๓", "123"), ("𝟏𝟐𝟑", "123"),
      ("\u{2212}١٢", "-12"), ("١٢٫٥", "12.5"), ("١٬٢٣٤٫٥", "1234.5"), ("۱٬۲۳۴", "1234"), ("1٬234٫5", "1234.5"),
      // None.
      ("", nil), (" ", nil), ("-", nil), ("+", nil), (".", nil), (",", nil), ("-.", nil), ("٫", nil), ("5.", nil),
      ("5,", nil), ("--1", nil), ("+-1", nil), ("1-", nil), ("(1)", nil), ("- 1", nil), ("1 2 3", nil), ("1e3", nil),
      ("1E3", nil), ("0x10", nil), ("0b1", nil), ("nan", nil), ("NaN", nil), ("inf", nil), ("Infinity", nil),
      ("∞", nil), ("1_000", nil), ("½", nil), ("²", nil), ("Ⅳ", nil), ("四", nil), ("1２", nil), ("1٢", nil), ("١۲", nil),
      ("1,5,", nil), ("1..5", nil), ("1,,5", nil), ("1.2.3", nil), ("1,2,3", nil), ("1.5,5.5", nil), ("3 apples", nil),
      ("$3", nil), ("3 %", nil), ("3\u{200B}", nil), ("1\u{200E}2", nil), ("\u{202E}12", nil), ("–3", nil),
      ("3\u{0}", nil),
      (String(repeating: "9", count: 65), nil), (String(repeating: "٣", count: 65), nil),
    ] as [(String, String?)])
  func everywhere(text: String, number: String?) {
    for locale in ["", "C.UTF-8", "en_US", "de_DE.UTF-8", "fr_FR", "de_CH", "hi_IN", "ar_EG", "fa_IR"] {
      #expect(Self.read(text, locale) == number, "\(locale)")
    }
  }

  @Test(
    "by the separators of the locale",
    arguments: [
      // Without a locale a point and a comma are decimal separators, and told where they could be those of a group.
      ("", "2.5", "2.5"), ("", "2,5", "2.5"), ("", ".5", "0.5"), ("", ",5", "0.5"), ("", "-,5", "-0.5"),
      ("", "12.500", nil), ("", "1.125", nil), ("", "1.250", nil), ("", "-1.250", nil), ("", "123.456", nil),
      ("", "１．２５０", nil), ("C.UTF-8", "12.500", nil), ("POSIX", "1.250", nil), ("tlh_XX", "1.250", nil),
      ("", "1.1250", "1.125"), ("", "0.125", "0.125"), ("", ".125", "0.125"), ("", "1234.567", "1234.567"),
      ("", "012.500", "12.5"), ("", "1.25", "1.25"), ("", "١٢٫٥٠٠", "12.5"), ("", "1٬250", "1250"),
      ("", "1,000", nil), ("", "12,500", nil), ("", "123,456", nil),
      ("", "1.000", nil), ("", "1,0000", "1"), ("", "0,125", "0.125"), ("", ",125", "0.125"),
      ("", "1234,567", "1234.567"), ("", "1,000,000", nil), ("", "1.234,5", nil), ("", "1,234.5", nil),
      ("", "1 000", nil), ("C", "1,000", nil), ("POSIX", "2,5", "2.5"), ("tlh_XX", "1,000", nil),
      // English.
      ("en_US", "1,000", "1000"), ("en_GB.UTF-8", "1,234.5", "1234.5"), ("en", "1,234,567.80", "1234567.8"),
      ("en-US", "12.500", "12.5"), ("en_US", "2,5", nil), ("en_US", "1.234,5", nil), ("en_US", "1,00", nil),
      ("en_US", "1,0000", nil), ("en_US", "1234,567", nil), ("en_US", "1,234567", nil), ("en_US", "0,500", nil),
      ("en_US", "0,000", nil), ("en_US", ",500", nil), ("en_US", ",5", nil), ("en_US", ".5", "0.5"),
      ("en_US", "1,,000", nil), ("en_US", "1,000,", nil), ("en_US", "1.000,000", nil), ("en_US", "1.000", nil),
      ("en_US", "0.000", "0"), ("en_US", "1.0000", "1"), ("en_US", "1,000.000", "1000"), ("en_US", "1 000", nil),
      ("en_US", "1'000", nil), ("en_US", "12,34,567", nil), ("en_US", "１，０００．５", "1000.5"),
      ("en_US", "-1,000", "-1000"),
      ("ja_JP", "１，０００", "1000"), ("zh_TW", "1,000", "1000"), ("es_MX", "1,000.5", "1000.5"),
      // German and others with a comma.
      ("de_DE", "12.500", "12500"), ("de_DE.UTF-8@euro", "1.234,5", "1234.5"), ("de_DE", "2,5", "2.5"),
      ("de_DE", "2,500", "2.5"), ("de_DE", "1,000", nil), ("de_DE", "1.000", "1000"), ("de_DE", "2.5", nil),
      ("de_DE", "1,234.5", nil), ("de_DE", "1.00", nil), ("de_DE", "1.234.567", "1234567"), ("de_DE", "1.23.456", nil),
      ("de_DE", "1 000", nil), ("de_DE", ",5", "0.5"), ("de_DE", "0,000", "0"), ("de_DE", "-1.234,50", "-1234.5"),
      ("pt_BR", "1.234,5", "1234.5"), ("id_ID", "12.500", "12500"), ("ar_MA", "1.234,5", "1234.5"),
      ("ar_EG", "1,234.5", "1234.5"), ("fa_IR", "۱٬۲۳۴٫۵", "1234.5"),
      // Spaces.
      ("fr_FR", "1 234,5", "1234.5"), ("fr_FR", "1\u{A0}234,5", "1234.5"),
      ("fr_FR", "1\u{202F}234\u{202F}567", "1234567"),
      ("fr_FR", "1 234\u{A0}567", nil), ("fr_FR", "1.234", nil), ("fr_FR", "12 34", nil), ("fr_FR", "1  234", nil),
      ("sv_SE", "\u{2212}12 500,5", "-12500.5"), ("pt_PT", "1 000", "1000"), ("de_AT", "1 000", "1000"),
      ("de_AT", "1.000", "1000"),
      // Apostrophes.
      ("de_CH", "1'234.5", "1234.5"), ("de_CH", "1’234’567", "1234567"), ("de_CH", "1'234’567", nil),
      ("de_CH", "1,5", nil), ("it_CH", "1'000", "1000"), ("fr_CH", "1'000,5", "1000.5"), ("de_CH", "1.234,5", nil),
      // India.
      ("hi_IN", "12,34,567", "1234567"), ("en_IN", "1,00,000.5", "100000.5"), ("en_IN", "1,000", "1000"),
      ("en_IN", "100,000", "100000"), ("hi_IN", "१२,३४,५६७", "1234567"), ("en_IN", "100,00,000", nil),
      ("en_IN", "1,00", nil), ("en_IN", "1,00,00", nil), ("en_IN", "01,00,000", nil), ("hi_IN", "1,000,00", nil),
      // Sources disagree about the locale.
      ("en_ZA", "1,000", nil), ("en_ZA", "2,5", "2.5"), ("en_ZA", "12.500", nil), ("en_ZA", "12,500", nil),
      // The separators of Latin digits, where others are the usual ones.
      ("ar_LB", "1.234,5", "1234.5"), ("ar_LB", "12.500", "12500"), ("ar_MR", "1.234,5", "1234.5"),
      ("ps_AF", "1.234,5", "1234.5"), ("ps_PK", "2.5", nil), ("ps", "۱٬۲۳۴٫۵", "1234.5"),
      ("es_BR", "1,234.5", "1234.5"),
    ] as [(String, String, String?)])
  func locales(locale: String, text: String, number: String?) { #expect(Self.read(text, locale) == number) }

  @Test("1,000 and 1.000 are never 1")
  func thousand() {
    for locale in ["", "C", "en_US", "de_DE", "fr_FR", "de_CH", "de_AT", "fr_CH", "hi_IN", "ar_EG", "ar_MA", "sv"] {
      for text in ["1,000", "1.000", "1 000", "1'000", "+1,000", "１，０００"] {
        #expect([nil, "1000"].contains(Self.read(text, locale)), "\(locale) \(text)")
      }
    }
  }

  @Test("what a field shows after it was read is read again as the same number")
  func settled() {
    for locale in ["", "en_US", "de_DE", "fr_FR", "de_CH", "hi_IN", "ar_MA", "en_ZA"] {
      let format = FlowNumberFormat(locale: locale)
      for number in [0.0, 1, -1, 1.5, 1.125, 12.5, 1_000, 1_000.001, 1_234_567.25, -0.001, 1e15, 1e-7, 123.456] {
        let text = DecimalText.text(number)
        #expect(FlowNumber(format.written(text), format)?.text == text, "\(locale) \(text)")
      }
    }
    #expect(FlowNumberFormat.unknown.written("1.125") == "1.1250")
    #expect(FlowNumberFormat(locale: "en_US").written("1.125") == "1.125")
  }

  @Test(
    "the locale is that of numbers",
    arguments: [
      (["LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "en_US", "LANG": "en_US"], "2.5", "2,5"),
      (["LC_ALL": "", "LC_NUMERIC": "de_DE", "LANG": "en_US"], "2.5", "2,5"), (["LANG": "de_DE"], "2.5", "2,5"),
      (["LANG": "en_US.UTF-8", "LC_MESSAGES": "de_DE", "LANGUAGE": "de"], "2.5", "2.5"), ([:], "2.5", "2.5"),
      (["LC_ALL": "C", "LANG": "de_DE"], "2.5", "2.5"),
    ])
  func environment(variables: [String: String], number: String, text: String) {
    #expect(FlowNumberFormat(environment: variables).written(number) == text)
  }

  // MARK: - Random texts

  @Test("a random text is no number, or the one that its digits and the locale's decimal separator make")
  func random() {
    var generator = SeededGenerator(seed: 40)
    let characters = Array("0123456789,.' -+٣۳３٫٬eE\u{A0}\u{200E}".unicodeScalars)
    for (locale, decimals) in [("", ".,٫"), ("en_IN", ".٫"), ("de_AT", ",٫"), ("fr_CH", ",٫"), ("ps", ",٫")] {
      var count = 0
      for _ in 0..<20_000 {
        let scalars = (0..<Int.random(in: 0...8, using: &generator)).compactMap { _ in
          characters.randomElement(using: &generator)
        }
        let text = String(String.UnicodeScalarView(scalars))
        guard let number = FlowNumber(text, FlowNumberFormat(locale: locale)) else { continue }
        count += 1
        let digits = Self.digits(scalars, decimals)
        #expect(number.text == digits && Double(digits) == number.value, "\(locale) \(text)")
        if locale.isEmpty { #expect(!Self.isAmbiguous(scalars), "\(text)") }
      }
      #expect(count > 500, "\(locale)")
    }
  }

  /// The shortest text of the digits before and behind the separator.
  private static func digits(_ scalars: [Unicode.Scalar], _ decimals: String) -> String {
    let parts = scalars.split(maxSplits: 1, omittingEmptySubsequences: false) { decimals.unicodeScalars.contains($0) }
      .map { $0.compactMap { $0.properties.numericValue.map { String(Int($0)) } }.joined() }
    let whole = String(parts[0].drop { $0 == "0" })
    let fraction = parts.count > 1 ? String(parts[1].reversed().drop { $0 == "0" }.reversed()) : ""
    let sign = scalars.contains("-") && !(whole + fraction).isEmpty ? "-" : ""
    return sign + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : ".\(fraction)")
  }

  /// Whether the only separator stands before three digits, and could end a first group.
  private static func isAmbiguous(_ scalars: [Unicode.Scalar]) -> Bool {
    let shape = scalars.compactMap { scalar -> Character? in
      if let value = scalar.properties.numericValue { return value == 0 ? "0" : "1" }
      return scalar == "." || scalar == "," ? "." : nil
    }
    return String(shape).wholeMatch(of: /1[01]{0,2}\.[01]{3}/) != nil
  }

  @Test("a random number is read as it is written in a locale")
  func written() {
    var generator = SeededGenerator(seed: 41)
    for (locale, decimal, group) in [
      ("en_US", ".", ","), ("de_DE", ",", "."), ("fr_FR", ",", "\u{202F}"), ("de_CH", ".", "’"), ("ar_LB", ",", "."),
    ] {
      let format = FlowNumberFormat(locale: locale)
      for _ in 0..<2_000 {
        let whole = String(Int.random(in: 0...9_999_999_999, using: &generator))
        let fraction = String(Int.random(in: 1...9_999, using: &generator)).filter { $0 != "0" }
        var grouped = ""
        for (index, digit) in whole.reversed().enumerated() {
          grouped = String(digit) + (index > 0 && index % 3 == 0 ? group : "") + grouped
        }
        let text = "-\(grouped)\(decimal)\(fraction)"
        #expect(FlowNumber(text, format)?.text == "-\(whole).\(fraction)", "\(locale) \(text)")
        #expect(FlowNumber(grouped, format)?.text == whole, "\(locale) \(grouped)")
      }
    }
  }
}
