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
