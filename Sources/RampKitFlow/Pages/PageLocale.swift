internal import TesseraJSON

/// The locale of a page: which translation it shows, and its language and direction.
package struct PageLocale {
  /// As the program named it, for example `de_AT`.
  let name: String
  /// For example `de`.
  let language: String

  init(_ name: String) {
    // Without the encoding and the modifier of POSIX: `de_AT.UTF-8@euro`.
    let name = name.prefix { $0 != "." && $0 != "@" }
    self.name = String(name)
    language = String(name.prefix { $0 != "_" && $0 != "-" })
  }

  /// The name of the translation in the form of the map: for the locale, else for the language; nil if there is none.
  /// The page finds it by the same rule (`translations.js`).
  func translation(in names: some Collection<String>) -> String? {
    for wanted in [name, language] where !wanted.isEmpty {
      // Several spellings of one locale: always the same of them.
      let found = names.filter { Self.form($0).hasBytes(of: Self.form(wanted)) }.min()
      if let found { return found }
    }
    return nil
  }

  /// The language of the page as an attribute, for example `de-AT`; nil if it is not known: the page has translations,
  /// and none is for this locale.
  func tag(translations: some Collection<String>) -> String? {
    let name = translations.isEmpty ? name : translation(in: translations)
    guard let name, !name.isEmpty, name.utf8.allSatisfy({ Self.isTagByte($0) }) else { return nil }
    return String(name.map { $0 == "_" ? "-" : $0 })
  }

  /// - Parameter tag: for example `ar`, `ar-EG` or `ar_EG`.
  package static func isRightToLeft(_ tag: String) -> Bool {
    ["ar", "he", "fa", "ur"].contains(tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
  }

  private static func form(_ name: String) -> String { String(name.map { $0 == "_" ? "-" : $0 }).lowercased() }

  private static func isTagByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
