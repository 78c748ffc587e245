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
  let entries: [TextForms]

  static func isCatalog(_ root: JSONValue) -> Bool {
    guard root["sourceLanguage"]?.stringValue != nil, case .object? = root["strings"] else { return false }
    return true
  }

  /// - Throws: `PayloadError` for a catalog of other locales only.
  init(_ root: JSONValue, for tag: LocaleTag) throws(PayloadError) {
    guard case .object(let strings)? = root["strings"] else { throw PayloadError(reason: .syntax) }
    var isWanted: [String: Bool] = [:]
    entries = strings.members.map { member in
      guard case .object(let localizations)? = member.value["localizations"] else { return TextForms(member.name, nil) }
      for localization in localizations.members {
        let wanted = isWanted[localization.name] ?? LocaleTag(localization.name)?.hasSameTexts(as: tag) ?? false
        isWanted[localization.name] = wanted
        if wanted { return Self.text(member.name, localization.value) ?? TextForms(member.name, nil) }
      }
      return TextForms(member.name, nil)
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
    guard let value = localization["stringUnit"]?["value"]?.stringValue else { return nil }
    // Nobody has translated it yet.
    return value.isEmpty && localization["stringUnit"]?["state"]?.stringValue == "new" ? nil : value
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
    guard place.isEmpty || place.hasSuffix("$") && place.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }),
      !rest[end.upperBound...].contains("#@")
    else { return nil }
    let argument = "%\(place)\(substitution["formatSpecifier"]?.stringValue ?? "lld")"
    return TextForms(
      key,
      forms: forms(plural).mapValues {
        text[..<percent] + $0.replacing("%arg", with: argument) + rest[end.upperBound...]
      })
  }
}
