internal import TesseraCore
internal import TesseraJSON

/// The places `{name}` of a word, which the page's scripts fill (`filled` of `words.js`).
enum WordPlaceholders {
  static func names(_ text: String) -> [String] {
    text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { piece in
      guard let end = piece.firstIndex(of: "}"), end > piece.startIndex else { return nil }
      let name = piece[..<end]
      return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") } ? String(name) : nil
    }
  }

  /// The places that the page fills in a word.
  ///
  /// - Parameter path: the names of the objects around it, and its own.
  static func known(_ own: String, _ path: [String]) -> [String] {
    // Each problem has a message, whether the page's own words say it or not.
    names(own) + (path.contains("problems") ? ["message"] : [])
  }

  /// - Throws: `Failure` of the kind `usage` if guests would read a place that nothing fills.
  static func check(_ text: String, _ own: String, path: [String]) throws(Failure) {
    let known = known(own, path)
    guard let wrong = names(text).first(where: { !known.contains($0) }) else { return }
    let word = PrintableText.of(path.joined(separator: "."))
    throw KioskTheme.wrong(
      "The words “\(word)” of theme.json have the unknown {\(wrong)}.",
      known.isEmpty ? "Remove it." : "The page fills \(list(known)) there.")
  }

  static func list(_ names: [String]) -> String { names.map { "{\($0)}" }.joined(separator: ", ") }
}

extension KioskTheme {
  /// What guests miss in the words of the theme, a sentence for each: no reason not to start.
  package func incompleteWords() -> [String] {
    guard case .object(let languages)? = about["words"] else { return [] }
    return languages.members.flatMap { language -> [String] in
      guard case .object(let texts) = language.value else { return [] }
      let words = PageWords.languages[language.name.lowercased()] ?? PageWords.english
      return Self.incomplete(texts, words, [language.name])
    }
  }

  private static func incomplete(_ texts: JSONObject, _ words: JSONObject, _ around: [String]) -> [String] {
    texts.members.flatMap { text -> [String] in
      let path = around + [text.name]
      let name = "“\(PrintableText.of(path.joined(separator: ".")))” of theme.json"
      switch (text.value, words[text.name]) {
      case (.string(let value), .string(let own)?):
        let present = WordPlaceholders.names(value)
        let missing = WordPlaceholders.names(own).filter { !present.contains($0) }
        return missing.isEmpty ? [] : ["\(name) has no \(WordPlaceholders.list(missing)): guests do not see that."]
      case (.array(let items), .array(let own)?) where items.count < own.count:
        return ["\(name) has \(items.count) of \(own.count) texts: the page's own words show in place of the others."]
      case (.object(let inner), .object(let own)?): return incomplete(inner, own, path)
      default: return []
      }
    }
  }
}
