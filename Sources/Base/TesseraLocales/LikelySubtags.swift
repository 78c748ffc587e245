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
