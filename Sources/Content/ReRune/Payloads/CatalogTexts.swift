internal import TesseraCore
internal import TesseraJSON
internal import TesseraLocales

/// The texts of a locale in a string catalog of Xcode, whose form is known from the programs that read it:
/// `{"sourceLanguage": "en", "version": "1.0", "strings": {"key": {"localizations": {"de": …}}}}`. What is under a locale is
/// `{"stringUnit": {"state": "translated", "value": "…"}}`, or has `variations` by `plural` or `device`, or one substitution
/// by a plural.
///
/// State, comment and `shouldTranslate` have no effect. A key whose text needs more than one number is left out.
struct CatalogTexts {
  private(set) var entries: [TextForms] = []
  /// Whether it has a text that cannot be used.
  private(set) var hasUnusable = false

  static func isCatalog(_ root: JSONValue) -> Bool {
    guard root["sourceLanguage"]?.stringValue != nil, case .object? = root["strings"] else { return false }
    return true
  }

  /// - Throws: `PayloadError` for a catalog of other locales only.
  init(_ root: JSONValue, for tag: LocaleTag) throws(PayloadError) {
    guard case .object(let strings)? = root["strings"] else { throw PayloadError(reason: .syntax) }
    var isWanted: [UTF8Text: Bool] = [:]
    for member in strings.members {
      guard case .object(let localizations)? = member.value["localizations"] else {
        entries.append(TextForms(member.name, nil))
        continue
      }
      var found = localizations[tag.text]
      for localization in localizations.members {
        let name = UTF8Text(localization.name)
        let wanted = isWanted[name] ?? LocaleTag(localization.name)?.hasSameTexts(as: tag) ?? false
        isWanted[name] = wanted
        if wanted { found = found ?? localization.value }
      }
      if let found {
        let text = Self.text(member.name, found)
        if let text { entries.append(text) } else { hasUnusable = hasUnusable || !Self.isNew(found) }
      } else {
        entries.append(TextForms(member.name, nil))
      }
    }
    guard isWanted.isEmpty || isWanted.values.contains(true) else { throw PayloadError(reason: .noTexts) }
  }

  private static func text(_ key: String, _ localization: JSONValue) -> TextForms? {
    if let value = value(localization) {
      guard case .object(let substitutions)? = localization["substitutions"] else { return TextForms(key, value) }
      return substituted(key, value, substitutions)
    }
    if let plural = localization["variations"]?["plural"] { return TextForms(key, forms: forms(plural)) }
    // A desktop is none of the devices that have a name.
    return localization["variations"]?["device"]?["other"].flatMap { text(key, $0) }
  }

  private static func value(_ localization: JSONValue) -> String? {
    isNew(localization) ? nil : localization["stringUnit"]?["value"]?.stringValue
  }

  /// Whether nobody has translated the text yet.
  private static func isNew(_ localization: JSONValue) -> Bool {
    let unit = localization["stringUnit"]
    return unit?["state"]?.stringValue == "new" && unit?["value"]?.stringValue?.isEmpty == true
  }

  private static func forms(_ plural: JSONValue) -> [String: String] {
    var forms: [String: String] = [:]
    for category in PluralCategory.allCases {
      forms[category.rawValue] = plural[category.rawValue].flatMap(value)
    }
    return forms
  }

  /// A text with one part that depends on a number: `%#@name@` or `%2$#@name@`. In the part `%arg` is the number.
  private static func substituted(_ key: String, _ text: String, _ substitutions: JSONObject) -> TextForms? {
    guard let start = text.firstRange(of: "#@") else { return TextForms(key, text) }
    let rest = text[start.upperBound...]
    guard let end = rest.firstRange(of: "@"), let percent = text[..<start.lowerBound].lastIndex(of: "%"),
      let substitution = substitutions[String(rest[..<end.lowerBound])],
      let plural = substitution["variations"]?["plural"]
    else { return nil }
    var place = text[text.index(after: percent)..<start.lowerBound]
    if case .integer(let number)? = substitution["argNum"] { place = "\(number)$" }
    let specifier = substitution["formatSpecifier"]?.stringValue ?? "lld"
    guard specifier.utf8.count <= 8, place.utf8.count <= 4,
      place.isEmpty || place.hasSuffix("$") && place.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }),
      !rest[end.upperBound...].contains("#@")
    else { return nil }
    let argument = "%\(place)\(specifier)"
    return TextForms(
      key,
      forms: forms(plural).mapValues {
        text[..<percent] + $0.replacing("%arg", with: argument) + rest[end.upperBound...]
      })
  }
}

/// What a server sent for one key: a text in the forms that a number chooses between, or that there is none any more.
struct TextForms {
  let key: String
  /// The text without a number, which is the form `other`; nil if there is none.
  let text: String?
  /// The forms by the names of plural categories, and of single numbers: `one`, `=0`.
  var forms: [String: String] = [:]
  /// What is subtracted from a number before its category is chosen.
  var offset = 0

  /// More forms than a language has categories, and a few numbers.
  static let maximumForms = 32

  init(_ key: String, _ text: String?) { (self.key, self.text) = (key, text) }

  /// - Returns: nil without the form `other`, and for more forms or texts than a payload may have.
  init?(_ key: String, forms: [String: String], offset: Int = 0) {
    guard let text = forms["other"], forms.count <= Self.maximumForms,
      forms.values.reduce(0, { $0 + $1.utf8.count }) <= TranslationPayload.maximumSize
    else { return nil }
    (self.key, self.text, self.forms, self.offset) = (key, text, forms, offset)
  }

  /// The key under which a table has a form. No key of a program has a zero byte.
  static func key(_ key: String, _ form: String) -> String { "\(key)\0\(form)" }

  /// The key of the text that a form belongs to.
  static func key(ofForm key: String) -> String { key.utf8.firstIndex(of: 0).map { String(key[..<$0]) } ?? key }

  static let offsetName = "offset"

  /// The texts by their keys in a table.
  var texts: [(key: String, text: String)] {
    guard let text else { return [] }
    let named = forms.filter { $0.key != "other" }.sorted { $0.key < $1.key }
    return [(key, text)] + named.map { (Self.key(key, $0.key), $0.value) }
      + (offset == 0 || forms.isEmpty ? [] : [(Self.key(key, Self.offsetName), String(offset))])
  }
}
