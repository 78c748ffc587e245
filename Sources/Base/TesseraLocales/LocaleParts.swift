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
