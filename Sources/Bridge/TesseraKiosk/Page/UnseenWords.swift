internal import TesseraCore
internal import TesseraJSON

extension KioskTheme {
  /// The words of the theme that a kiosk with these settings never shows: a sentence for each, with the word that shows in
  /// its place.
  ///
  /// Nothing is said of words that are the page's own, nor of a new language that has all words: both are what
  /// `PageWords.themeFragment` prints.
  package func unseenWords(_ settings: GuestBook.Settings) -> [String] {
    guard case .object(let languages)? = about["words"] else { return [] }
    let kiosk = UnseenWords(settings, fields: about["fields"])
    return languages.members.flatMap { language -> [String] in
      guard case .object(let texts) = language.value else { return [] }
      let own = PageWords.languages[language.name.lowercased()]
      if own == nil, UnseenWords.hasAll(texts, PageWords.english) { return [] }
      return kiosk.sentences(texts, own ?? PageWords.english, language.name, path: [])
    }
  }
}

/// Which words of the page a kiosk never shows. What depends on the reader, the camera or the guest may show.
private struct UnseenWords {
  private let keepsResults: Bool
  private let storesResults: Bool
  private let judgesClock: Bool
  /// nil for all fields.
  private let fields: [String]?

  init(_ settings: GuestBook.Settings, fields: JSONValue?) {
    keepsResults = settings.hasEffect
    storesResults = settings.destination != nil
    judgesClock = settings.clock != nil
    if case .array(let names)? = fields {
      self.fields = names.compactMap(\.stringValue)
    } else {
      self.fields = nil
    }
  }

  /// Of the launch by another page or program, of files, and of a browser.
  private static let elsewhere: Set<String> = [
    "asker", "receives", "leave", "save", "moreFields", "signOpen", "key", "sign", "signed", "newKey",
    "problems.NO_TRANSPORT",
  ]
  private static let ofSeals: Set<String> = [
    "sealOpen", "sealAbout", "sealTitle", "sealHint", "sealStates", "sealReasons", "comparisons", "signer",
    "signerData", "element", "moreFieldsNotShown", "fieldNames", "problems.SEAL_SCAN_FAILED",
  ]
  /// What the page says with results, by what it says without.
  private static let kept = ["privacy": "privacyKept", "enterHint": "enterHintKept"]

  /// - Parameters:
  ///   - texts: of the theme.
  ///   - own: the page's, at the same place.
  ///   - path: the names of the objects around the words.
  func sentences(_ texts: JSONObject, _ own: JSONObject, _ language: String, path: [String]) -> [String] {
    texts.members.flatMap { text -> [String] in
      guard let word = own[text.name], Self.differs(text.value, word) else { return [] }
      let path = path + [text.name]
      if let reason = reason(path, language) {
        let name = "\(PrintableText.of(language)).\(path.joined(separator: "."))"
        return ["“\(name)” of theme.json does not show: \(reason)."]
      }
      guard case (.object(let inner), .object(let words)) = (text.value, word) else { return [] }
      return sentences(inner, words, language, path: path)
    }
  }

  /// Whether one of the texts is another one.
  private static func differs(_ value: JSONValue, _ own: JSONValue) -> Bool {
    guard case (.object(let texts), .object(let words)) = (value, own) else { return value != own }
    return texts.members.contains { text in words[text.name].map { differs(text.value, $0) } ?? true }
  }

  static func hasAll(_ texts: JSONObject, _ words: JSONObject) -> Bool {
    words.members.allSatisfy { word in
      guard let text = texts[word.name] else { return false }
      guard case (.object(let inner), .object(let own)) = (text, word.value) else { return true }
      return hasAll(inner, own)
    }
  }

  /// nil for a word that may show.
  private func reason(_ path: [String], _ language: String) -> String? {
    let name = path.joined(separator: ".")
    func other(_ name: String) -> String { "“\(PrintableText.of(language)).\(name)” shows" }
    if keepsResults {
      if let shown = Self.kept[name] { return "with --results or --receipt, \(other(shown))" }
      if Self.ofSeals.contains(name) || name.hasPrefix("checkNames.seal.") {
        return "with --results or --receipt, a kiosk scans no seals"
      }
    } else if let shown = Self.kept.first(where: { $0.value == name })?.key {
      return "without --results and --receipt, \(other(shown))"
    }
    switch name {
    case "notStored" where !storesResults: return "without --results, nothing is stored"
    case "wrongClock" where !judgesClock: return "with --virtual, the clock is not judged"
    case "other": return "a page with words of a theme names the next language itself"
    case "moreFields" where !keepsResults: return "a kiosk keeps no files, so \(other("moreFieldsNotShown"))"
    case _ where Self.elsewhere.contains(name): return "a kiosk has no place for it"
    default: return fieldReason(path)
    }
  }

  private func fieldReason(_ path: [String]) -> String? {
    guard let fields else { return nil }
    let field: String? =
      switch path.joined(separator: ".") {
      case "noPortrait", "portraitOf": "portrait"
      // The report on a seal has both, whatever the theme wants.
      case "data.type" where !keepsResults, "data.state" where !keepsResults: nil
      default: path.count == 2 && path[0] == "data" ? path[1] : nil
      }
    guard let field, !fields.contains(field) else { return nil }
    return "“fields” does not name “\(field)”"
  }
}
