/// How the user writes numbers: the separators of a locale (CLDR 42). No locale has to be installed for it.
package struct FlowNumberFormat: Sendable, Equatable {
  /// The decimal separator that is written: a point or a comma.
  let decimal: Unicode.Scalar
  /// What can stand between groups of digits.
  private let groups: String
  /// Whether groups of two can stand before the last group of three: `12,34,567`.
  private(set) var hasGroupsOfTwo = false
  /// Whether the locale says which separator is which.
  let isKnown: Bool

  private init(_ decimal: Unicode.Scalar, _ groups: String, isKnown: Bool = true) {
    self.decimal = decimal
    self.groups = groups
    self.isKnown = isKnown
  }

  /// Without a locale: a point is written. A point and a comma are read as decimal separators where they cannot begin a
  /// group of three.
  package static let unknown = FlowNumberFormat(".", "", isKnown: false)

  private static let spaces = " \u{A0}\u{2009}\u{202F}"
  private static let apostrophes = "'\u{2019}"
  private static let pointAndComma = FlowNumberFormat(".", ",")
  private static let commaAndPoint = FlowNumberFormat(",", ".")
  private static let commaAndSpace = FlowNumberFormat(",", spaces)
  private static let pointAndApostrophe = FlowNumberFormat(".", apostrophes)

  func isDecimalSeparator(_ scalar: Unicode.Scalar) -> Bool {
    scalar == decimal || scalar == "\u{66B}" || (!isKnown && scalar == ",")
  }

  func isGroupSeparator(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{66C}" || groups.unicodeScalars.contains(scalar)
  }

  // MARK: - Writing

  /// The number without groups, as `init?(_:_:)` of `FlowNumber` reads it: `1234,5`.
  ///
  /// - Parameter text: a decimal text with a point.
  func written(_ text: String) -> String {
    let written = String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "." ? decimal : $0 }))
    // Without a locale `1.125` could be a thousand; `1.1250` is one number.
    return FlowNumber(written, self) == nil && FlowNumber(written + "0", self)?.text == text ? written + "0" : written
  }

  // MARK: - Locales

  /// The format of the user's locale: the first non-empty one of `LC_ALL`, `LC_NUMERIC` and `LANG` (locale(7)).
  package init(environment: [String: String]) {
    self.init(locale: ["LC_ALL", "LC_NUMERIC", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "")
  }

  /// - Parameter locale: for example `de_AT.UTF-8` or `de-AT`. `C`, `POSIX` and unknown languages are no locale.
  package init(locale: String) {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    let tags = name.split { $0 == "_" || $0 == "-" }.map { $0.lowercased() }
    let language = tags.first ?? ""
    let region = tags.dropFirst().first { $0.utf8.count == 2 || ($0.utf8.count == 3 && $0.first?.isNumber == true) }
    let format = region.flatMap { Self.regions["\(language)_\($0)"] } ?? Self.languages[language] ?? .unknown
    self = format
    hasGroupsOfTwo =
      format.isKnown && (Self.indian.contains(language) || ["bd", "bt", "in", "lk", "np", "pk"].contains(region ?? ""))
  }

  private static let indian: Set = [
    "as", "bho", "bn", "brx", "doi", "dz", "gu", "hi", "kn", "kok", "mai", "ml", "mr", "ne", "or", "pa", "sa", "ta",
    "te",
  ]

  private static let languages = table([
    (
      pointAndComma,
      """
      ak am ar as bho bm bn bo brx ceb chr ckb cy doi dz ee en fa fil ga gd gu ha haw he hi ig ii iw ja kn ko kok lg mai
      mg mi ml mn mr ms mt my ne om or pa qu sa sd si sn so sw ta te th ti tl to ug ur yo yue zh zu
      """
    ),
    (
      commaAndPoint,
      """
      ast az bs ca da de dsb el es eu fo fur fy gl hr hsb ia id in is it jv kl km ku lb ln lo lu mk nl ps pt rn ro rw sc sg
      sl sr su tr vi wo
      """
    ),
    (
      commaAndSpace,
      """
      af be bg br cs cv eo et fi fr hu hy ka kab kea kk ky lt lv nb nn no os pl ru sah se sk smn sq sv tg tk tt tzm uk uz
      """
    ),
    (pointAndApostrophe, "gsw rm"), (FlowNumberFormat(".", spaces), "xh"),
  ])

  /// Regions whose numbers differ from those of their language.
  private static let regions = table([
    (
      pointAndComma,
      """
      es_419 es_br es_bz es_cu es_do es_gt es_hn es_mx es_ni es_pa es_pe es_pr es_sv es_us
      """
    ),
    (
      commaAndPoint,
      "ar_dz ar_lb ar_ly ar_ma ar_mr ar_tn en_be en_de en_dk en_nl en_si fr_lu fr_ma ms_bn ms_id qu_bo sw_cd"
    ),
    (
      commaAndSpace,
      "en_fi en_se es_cr pt_ao pt_ch pt_cv pt_gq pt_gw pt_lu pt_mo pt_mz pt_pt pt_st pt_tl"
    ),
    (pointAndApostrophe, "de_ch de_li en_ch it_ch"),
    // Both are common beside each other.
    (FlowNumberFormat(",", ".\(spaces)"), "de_at en_at"), (FlowNumberFormat(",", spaces + apostrophes), "fr_ch"),
    // CLDR and the C library disagree about the decimal separator.
    (unknown, "en_za"),
  ])

  private static func table(_ rows: [(FlowNumberFormat, String)]) -> [String: FlowNumberFormat] {
    var table: [String: FlowNumberFormat] = [:]
    for (format, names) in rows {
      for name in names.split(whereSeparator: \.isWhitespace) { table[String(name)] = format }
    }
    return table
  }
}
