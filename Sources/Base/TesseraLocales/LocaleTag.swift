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
