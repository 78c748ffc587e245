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
