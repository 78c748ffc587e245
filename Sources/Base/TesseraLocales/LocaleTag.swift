internal import TesseraCore

/// A language tag in one spelling (BCP 47): `de`, `de-AT`, `zh-Hant-TW`. Tags of the environment, of a server and of
/// folders are normalised in the same way, so they can be compared.
package struct LocaleTag: Sendable, Hashable, CustomStringConvertible {
  package let text: String
  package var description: String { text }

  /// Longer texts are no tags (BCP 47, 4.4.1 recommends at least 35 characters).
  private static let maximumLength = 64

  /// The scripts that the modifier of a POSIX locale can name.
  private static let scripts = [
    "latin": "Latn", "cyrillic": "Cyrl", "arabic": "Arab", "devanagari": "Deva", "iqtelif": "Latn",
  ]

  /// - Parameter text: a tag such as `de-AT`, or the name of a POSIX locale such as `de_AT.UTF-8` or `sr_RS@latin`.
  ///   Nil for a text that is empty, or too long, or without a language.
  package init?(_ text: some StringProtocol) {
    let text = text.trimmed
    guard text.utf8.count <= Self.maximumLength else { return nil }
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first?.prefix { $0 != "." } ?? ""
    var subtags = name.split(omittingEmptySubsequences: true) { $0 == "-" || $0 == "_" }.map(String.init)
    guard let language = subtags.first else { return nil }
    subtags[0] = language.lowercased()
    for index in subtags.indices.dropFirst() { subtags[index] = Self.normalised(subtags[index]) }
    let hasScript = subtags.dropFirst().first.map(Self.isScript) ?? false
    if parts.count == 2, let script = Self.scripts[parts[1].lowercased()], !hasScript {
      subtags.insert(script, at: 1)
    }
    self.text = subtags.joined(separator: "-")
  }

  /// The tag without its last part; nil for a language alone.
  var parent: LocaleTag? { text.lastIndex(of: "-").flatMap { LocaleTag(text[..<$0]) } }

  /// For example `de`.
  package var language: String { String(text.prefix { $0 != "-" }) }

  /// Two letters or three digits after the language and the script (BCP 47, 2.2.4), for example `AT`; nil if there are none.
  package var region: String? { LocaleParts(self).region }

  /// Whether the other tag names the same texts, as `zh-Hant` and `zh-TW` or `he` and `iw`.
  package func hasSameTexts(as other: LocaleTag) -> Bool { LocaleParts(self).likely == LocaleParts(other).likely }

  /// The script that the tag says, else the likely one.
  package var script: String? { LocaleParts(self).likely.script }

  package var isRightToLeft: Bool { script.map(Self.rightToLeftScripts.contains) ?? false }

  /// The scripts of living languages among those of Unicode whose direction is from right to left.
  private static let rightToLeftScripts: Set = [
    "Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa", "Yezi",
  ]

  private static func normalised(_ subtag: String) -> String {
    if isScript(subtag) { return subtag.prefix(1).uppercased() + subtag.dropFirst().lowercased() }
    return isRegion(subtag) ? subtag.uppercased() : subtag.lowercased()
  }

  static func isScript(_ subtag: some StringProtocol) -> Bool { subtag.utf8.count == 4 && isAlphabetic(subtag) }

  static func isRegion(_ subtag: some StringProtocol) -> Bool {
    subtag.utf8.count == 2 && isAlphabetic(subtag)
      || subtag.utf8.count == 3 && subtag.allSatisfy { $0.isASCII && $0.isNumber }
  }

  private static func isAlphabetic(_ text: some StringProtocol) -> Bool {
    text.allSatisfy { $0.isASCII && $0.isLetter }
  }
}

/// The parts of a tag, with the language by its present name. Two tags with equal likely parts name the same texts: `zh-TW`
/// and `zh-Hant`, `iw` and `he-IL`, `no` and `nb`.
struct LocaleParts: Hashable {
  var language: String
  var script: String?
  var region: String?
  /// Variants and extensions.
  var rest: [Substring] = []

  init(_ tag: LocaleTag) {
    var subtags = tag.text.split(separator: "-")[...]
    let name = subtags.popFirst().map(String.init) ?? ""
    language = Self.names[name] ?? name
    if let script = subtags.first, LocaleTag.isScript(script) { self.script = String(subtags.removeFirst()) }
    if let region = subtags.first, LocaleTag.isRegion(region) { self.region = String(subtags.removeFirst()) }
    if name == "sh" { script = script ?? "Latn" }
    rest = Array(subtags)
  }

  /// With the script and the region that the tag does not say, if they are known (Unicode TS 35, 4.3 "Likely Subtags").
  var likely: LocaleParts {
    guard let likely = LikelySubtags(language, script: script, region: region) else { return self }
    var parts = self
    (parts.script, parts.region) = (likely.script, likely.region)
    return parts
  }

  /// The tag between this one with its region and the language: that of CLDR, as `es-419` for `es-MX`, or the script, if
  /// another one is usual without the region, as `zh-Hant` for `zh-TW`.
  var parent: String? {
    guard let region, rest.isEmpty else { return nil }
    if let group = Self.groups[language], group.regions.split(separator: " ").contains(region[...]) {
      return "\(language)-\(group.parent)"
    }
    guard script == nil, let likely = likely.script, likely != LikelySubtags(language)?.script else { return nil }
    return "\(language)-\(likely)"
  }

  /// The present names of languages with former ones (CLDR 42, `languageAlias`). `no` stands for its most frequent
  /// written form, which CLDR has as a child of it.
  private static let names = [
    "in": "id", "iw": "he", "ji": "yi", "jw": "jv", "mo": "ro", "no": "nb", "sh": "sr", "tl": "fil", "cmn": "zh",
  ]

  /// CLDR 42, `parentLocale`.
  private static let groups = [
    "es": (parent: "419", regions: "AR BO BR BZ CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE"),
    "pt": (parent: "PT", regions: "AO CH CV FR GQ GW LU MO MZ ST TL"),
  ]
}

/// The script and the region that a language most likely has (`likely-subtags.txt`).
struct LikelySubtags {
  let script: String
  let region: String

  /// - Parameter language: by its present name, in lower case.
  /// - Returns: nil for a language that is not in the table.
  init?(_ language: String, script: String? = nil, region: String? = nil) {
    guard let row = Self.rows[language] else { return nil }
    // Each is a script, its likely region, and the regions that it follows from.
    let others = row.dropFirst(3).map { $0.split(separator: ":").map(String.init) }
    let fromRegion = others.first { other in
      region.map { other.dropFirst(2).joined().split(separator: ",").contains($0[...]) } ?? false
    }
    let script = script ?? fromRegion?[0] ?? row[1]
    self.script = script
    self.region = region ?? others.first { $0[0] == script && script != row[1] }?[1] ?? row[2]
  }

  private static let rows: [String: [String]] = {
    let text = String(decoding: PackageResources.likely_subtags_txt, as: UTF8.self)
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: " ").map(String.init) }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0) })
  }()
}
