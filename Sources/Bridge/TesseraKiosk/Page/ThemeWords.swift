internal import TesseraCore
internal import TesseraJSON

/// The words of a theme, which must be those of the page, so that a misspelled name does not pass in silence.
package enum ThemeWords {
  /// - Returns: the value.
  /// - Throws: `Failure` of the kind `usage`, which names the word that is wrong.
  static func checked(_ value: JSONValue) throws(Failure) -> JSONValue {
    guard case .object(let languages) = value else { throw KioskTheme.wrong("words of theme.json is not an object.") }
    for language in languages.members {
      guard isTag(language.name), case .object(let texts) = language.value else {
        throw KioskTheme.wrong(
          "words of theme.json has something else than a language and its words: “\(PrintableText.of(language.name))”.",
          "Its members are the tags of languages, such as fr or pt-BR, each with an object.")
      }
      try check(texts, PageWords.english, path: [language.name])
    }
    return value
  }

  /// - Parameter path: the names of the objects around the words.
  private static func check(_ texts: JSONObject, _ words: JSONObject, path: [String]) throws(Failure) {
    for text in texts.members {
      let name = PrintableText.of((path + [text.name]).joined(separator: "."))
      switch (words[text.name], text.value) {
      case (nil, _):
        throw KioskTheme.wrong(
          "theme.json has the unknown words “\(name)”.", "`tessera kiosk --words LANGUAGE` prints those of the page.")
      case (.string(let own), .string(let value)):
        try WordPlaceholders.check(value, own, path: path + [text.name])
      case (.array(let own), .array(let items)) where items.allSatisfy { $0.stringValue != nil }:
        guard items.count <= own.count else {
          throw KioskTheme.wrong("The words “\(name)” of theme.json are more than \(own.count) texts.")
        }
        for (value, own) in zip(items.compactMap(\.stringValue), own.compactMap(\.stringValue)) {
          try WordPlaceholders.check(value, own, path: path + [text.name])
        }
      case (.object(let own), .object(let inner)): try check(inner, own, path: path + [text.name])
      case (.array, _): throw KioskTheme.wrong("The words “\(name)” of theme.json are not a list of texts.")
      case (.object, _): throw KioskTheme.wrong("The words “\(name)” of theme.json are not an object of texts.")
      default: throw KioskTheme.wrong("The words “\(name)” of theme.json are not a text.")
      }
    }
  }

  /// - Parameter words: those of the theme.
  /// - Returns: the value.
  /// - Throws: `Failure` of the kind `usage` if it is no language, or one without words.
  static func language(_ value: JSONValue, _ words: JSONValue?) throws(Failure) -> JSONValue {
    guard let tag = value.stringValue, isTag(tag) else {
      throw KioskTheme.wrong("The language of theme.json is not a language tag.", "Write it like fr or pt-BR.")
    }
    guard best(tag, of: PageWords.languages.keys + names(words)) != nil else {
      throw KioskTheme.wrong(
        "The language “\(tag)” of theme.json has no words.", "Add its words, or remove the language.")
    }
    return value
  }

  private static func names(_ words: JSONValue?) -> [String] {
    if case .object(let languages)? = words { languages.names } else { [] }
  }

  /// The language of a tag, or of its first part, as the page chooses it.
  static func best(_ tag: String, of names: [String]) -> String? {
    let tag = tag.lowercased()
    let first = tag.prefix { $0 != "-" }
    return names.first { $0.lowercased() == tag } ?? names.first { $0.lowercased() == first }
  }

  /// Whether it is a tag that begins with the two or three letters of a language (BCP 47, 2.2.1).
  package static func isTag(_ tag: String) -> Bool {
    let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return tag.utf8.count <= 35 && parts.allSatisfy { 1...8 ~= $0.count && $0.allSatisfy(isAlphanumeric) }
      && parts.first.map { 2...3 ~= $0.count && $0.allSatisfy(isLetter) } ?? false
  }

  private static func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isLetter(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}
