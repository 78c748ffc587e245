internal import TesseraLocales

/// The forms that a text can have by a number (Unicode TS 35-3, 5 "Language Plural Rules").
enum PluralCategory: String, Sendable, CaseIterable {
  case zero, one, two, few, many, other
}

/// Which form a language uses for a whole number: Unicode CLDR 42, `plurals`, cardinal, without the parts that only
/// fractions reach. A test compares it with ICU 72 for all its languages.
///
/// ICU itself would be 30 to 46 MB in a program that needs 27 rules of it, and the name of its shared library changes with
/// each release of Debian.
struct PluralRules: Sendable {
  private let rule: @Sendable (UInt) -> PluralCategory

  init(_ tag: LocaleTag) {
    let isPortugal = tag.language == "pt" && tag.region == "PT"
    rule = Self.rules[isPortugal ? "pt-PT" : tag.language] ?? Self.invariable
  }

  /// The category depends on the absolute value.
  func category(of number: Int) -> PluralCategory { rule(number.magnitude) }

  private typealias Rule = @Sendable (UInt) -> PluralCategory

  private static let invariable: Rule = { _ in .other }

  private static let rules: [String: Rule] = {
    var rules: [String: Rule] = [:]
    for (languages, rule) in groups {
      for language in languages.split(separator: " ") { rules[String(language)] = rule }
    }
    return rules
  }()

  /// Languages that are not here have `other` alone.
  private static let groups: [(String, Rule)] = [
    (
      """
      ast de en et fi fy gl ia io ji lij nl sc scn sv sw ur yi af an asa az bal bem bez bg brx ce cgg chr ckb dv ee el \
      eo eu fo fur gsw ha haw hu jgo jmc ka kaj kcg kk kkj kl ks ksb ku ky lb lg mas mgo ml mn mr nah nb nd ne nn nnh \
      nr ny nyn om or os pap ps rm rof rwk saq sd sdh seh sn so sq ss ssy st syr ta te teo tig tk tn tr ts ug uz ve vo \
      vun wae xh xog da no ji
      """, { $0 == 1 ? .one : .other }
    ),
    ("am as bn doi fa gu hi kn pcm zu ff hy kab si ak bho guw ln mg nso pa ti wa", { $0 <= 1 ? .one : .other }),
    ("tzm", { $0 <= 1 || 11...99 ~= $0 ? .one : .other }),
    ("is mk", { endsInOne($0) ? .one : .other }),
    ("fil tl ceb", { 1...3 ~= $0 || ![4, 6, 9].contains($0 % 10) ? .one : .other }),
    (
      "lv prg",
      { $0 % 10 == 0 || 11...19 ~= $0 % 100 ? .zero : $0 % 10 == 1 && $0 % 100 != 11 ? .one : .other }
    ),
    ("lag ksh", { $0 == 0 ? .zero : $0 == 1 ? .one : .other }),
    ("he iw iu naq sat se sma smi smj smn sms", { $0 == 1 ? .one : $0 == 2 ? .two : .other }),
    ("shi", { $0 <= 1 ? .one : 2...10 ~= $0 ? .few : .other }),
    ("ro mo", { $0 == 1 ? .one : $0 == 0 || 1...19 ~= $0 % 100 ? .few : .other }),
    ("bs hr sr sh", { endsInOne($0) ? .one : endsInFew($0) ? .few : .other }),
    ("fr pt", { $0 <= 1 ? .one : isMillions($0) ? .many : .other }),
    ("ca it pt-PT es", { $0 == 1 ? .one : isMillions($0) ? .many : .other }),
    (
      "gd",
      { $0 == 1 || $0 == 11 ? .one : $0 == 2 || $0 == 12 ? .two : 3...10 ~= $0 || 13...19 ~= $0 ? .few : .other }
    ),
    ("sl dsb hsb", { $0 % 100 == 1 ? .one : $0 % 100 == 2 ? .two : 3...4 ~= $0 % 100 ? .few : .other }),
    ("cs sk", { $0 == 1 ? .one : 2...4 ~= $0 ? .few : .other }),
    ("pl", { $0 == 1 ? .one : endsInFew($0) ? .few : .many }),
    ("be ru uk", { endsInOne($0) ? .one : endsInFew($0) ? .few : .many }),
    (
      "lt",
      { 11...19 ~= $0 % 100 || $0 % 10 == 0 ? .other : $0 % 10 == 1 ? .one : .few }
    ),
    (
      "mt",
      { $0 == 1 ? .one : $0 == 2 ? .two : $0 == 0 || 3...10 ~= $0 % 100 ? .few : 11...19 ~= $0 % 100 ? .many : .other }
    ),
    ("br", breton),
    ("ga", { $0 == 1 ? .one : $0 == 2 ? .two : 3...6 ~= $0 ? .few : 7...10 ~= $0 ? .many : .other }),
    ("gv", { $0 % 10 == 1 ? .one : $0 % 10 == 2 ? .two : $0 % 20 == 0 ? .few : .other }),
    ("kw", cornish),
    (
      "ar ars",
      {
        $0 == 0 ? .zero : $0 == 1 ? .one : $0 == 2 ? .two : 3...10 ~= $0 % 100 ? .few : $0 % 100 >= 11 ? .many : .other
      }
    ),
    ("cy", { [0: .zero, 1: .one, 2: .two, 3: .few, 6: .many][$0] ?? .other }),
  ]

  private static func endsInOne(_ number: UInt) -> Bool { number % 10 == 1 && number % 100 != 11 }

  private static func endsInFew(_ number: UInt) -> Bool { 2...4 ~= number % 10 && !(12...14 ~= number % 100) }

  private static func isMillions(_ number: UInt) -> Bool { number != 0 && number % 1_000_000 == 0 }

  private static let breton: Rule = { number in
    let tens = number % 100 / 10
    let isTeen = [1, 7, 9].contains(tens)
    return switch number % 10 {
    case 1 where !isTeen: .one
    case 2 where !isTeen: .two
    case 3, 4, 9: isTeen ? .other : .few
    default: isMillions(number) ? .many : .other
    }
  }

  private static let cornish: Rule = { number in
    let isRoundTwo =
      number % 1_000 == 0
      && (1_000...20_000 ~= number % 100_000 || [40_000, 60_000, 80_000].contains(number % 100_000))
    return switch number {
    case 0: .zero
    case 1: .one
    case _ where [2, 22, 42, 62, 82].contains(number % 100), _ where isRoundTwo,
      _ where number % 1_000_000 == 100_000:
      .two
    case _ where [3, 23, 43, 63, 83].contains(number % 100): .few
    case _ where [1, 21, 41, 61, 81].contains(number % 100): .many
    default: .other
    }
  }
}
