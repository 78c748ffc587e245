internal import TesseraCore
internal import TesseraJSON
internal import TesseraLocales

/// The texts of a locale as records: `[{"key": "…", "placeholders": […], "values": [{"lang": "de", "value": "…"}]}]`. A value is
/// a text with tokens `{{name}}`, or a `message` whose parts may depend on one number.
///
/// Tokens become the arguments of a format string: declared placeholders in their order, and before them the number that
/// chooses a form, if it is not declared. A key with a part of an unknown kind is left out, so that the program's
/// own text stays.
struct RecordTexts {
  private(set) var entries: [TextForms] = []
  /// Whether it has a text that cannot be used.
  private(set) var hasUnusable = false

  /// - Throws: `PayloadError` for a record without a key or without a value, for a token that is not declared, and for
  ///   texts of another language.
  init(_ root: JSONValue, for tag: LocaleTag) throws(PayloadError) {
    guard case .array(let nodes) = root else { throw PayloadError(reason: .syntax) }
    for node in nodes {
      guard case .object = node, let key = node["key"]?.stringValue else { throw PayloadError(reason: .records) }
      // Objects and arrays of keys have no text of their own.
      if node["translationKeys"] != nil || ["object", "array"].contains(node["type"]?.stringValue) { continue }
      guard node["type"].map({ $0 == .null || $0.stringValue == "key" }) ?? true,
        case .array(let values)? = node["values"], values.count <= 1
      else { throw PayloadError(reason: .records) }
      guard let value = values.first else {
        entries.append(TextForms(key, nil))
        continue
      }
      guard case .object = value else { throw PayloadError(reason: .records) }
      if let other = value["lang"]?.stringValue.flatMap({ LocaleTag($0) }), !Self.isLanguage(other, of: tag) {
        throw PayloadError(reason: .noTexts)
      }
      if let text = value["value"]?.stringValue {
        entries.append(TextForms(key, try Arguments(node, first: nil).format(text)))
      } else if case .array(let parts)? = value["message"]?["parts"] {
        let text = try Self.message(key, parts, node)
        if let text { entries.append(text) } else { hasUnusable = true }
      } else {
        throw PayloadError(reason: .records)
      }
    }
  }

  /// Whether texts of a locale may say that they are of another tag: one of the same language and script.
  private static func isLanguage(_ other: LocaleTag, of tag: LocaleTag) -> Bool {
    other.hasSameTexts(as: tag) || other.language == tag.language && other.script == tag.script
  }

  // MARK: - Messages

  /// - Returns: nil if a part is of an unknown kind, or several depend on a number.
  private static func message(
    _ key: String, _ parts: [JSONValue], _ node: JSONValue
  ) throws(PayloadError) -> TextForms? {
    let variants = parts.compactMap { $0["variant"] }
    guard !parts.isEmpty, variants.count <= 1 else { return nil }
    guard let variant = variants.first else {
      guard let text = text(parts) else { return nil }
      return TextForms(key, try Arguments(node, first: nil).format(text))
    }
    guard let variable = variant["variable"]?.stringValue, case .array(let forms)? = variant["forms"] else {
      throw PayloadError(reason: .records)
    }
    guard forms.count <= TextForms.maximumForms else { return nil }
    let parts = parts.split(maxSplits: 1, omittingEmptySubsequences: false) { $0["variant"] != nil }.map(Array.init)
    var offset = 0
    if case .integer(let number)? = variant["offset"], let number = Int32(exactly: number) { offset = Int(number) }
    guard let before = text(parts[0]), let after = text(parts[1]) else { return nil }
    var texts: [String: String] = [:]
    for form in forms {
      guard let selector = form["selector"]?.stringValue, case .array(let parts)? = form["parts"] else {
        throw PayloadError(reason: .records)
      }
      guard var text = text(parts) else { return nil }
      // As in ICU's messages, `#` is the number less the offset, unless the form names the number itself.
      if text.contains("#"), !text.contains("{{\(variable)}}") {
        guard offset == 0 else { return nil }
        text = text.replacing("#", with: "{{\(variable)}}")
      }
      if isSelector(selector) { texts[selector] = before + text + after }
    }
    // If one form is a format string, the others are, too: the program uses them in the same way.
    let arguments = try Arguments(node, first: variable)
    let isFormat = texts.values.contains { $0.contains("{{") }
    for (selector, text) in texts { texts[selector] = try arguments.format(text, isFormat: isFormat) }
    return TextForms(key, forms: texts, offset: offset)
  }

  private static func isSelector(_ text: String) -> Bool {
    PluralCategory(rawValue: text) != nil || text.hasPrefix("=") && Int(text.dropFirst()) != nil
  }

  /// - Returns: nil if a part is of an unknown kind.
  private static func text(_ parts: [JSONValue]) -> String? {
    let texts = parts.map { $0["text"]?.stringValue }
    return texts.contains(nil) ? nil : texts.compactMap(\.self).joined()
  }

  // MARK: - Arguments

  private struct Arguments {
    private var formats: [UTF8Text: String] = [:]

    /// - Parameter first: an argument that comes before the declared ones, unless it is one of them.
    init(_ node: JSONValue, first: String?) throws(PayloadError) {
      var arguments: [(name: String, isNumber: Bool)] = []
      if case .array(let placeholders)? = node["placeholders"] {
        for placeholder in placeholders {
          guard let name = placeholder["name"]?.stringValue else { throw PayloadError(reason: .records) }
          arguments.append((name, placeholder["type"]?.stringValue?.lowercased() == "int"))
        }
      }
      if let first, !arguments.contains(where: { $0.name.hasBytes(of: first) }) {
        arguments.insert((first, true), at: 0)
      }
      for (index, argument) in arguments.enumerated() {
        formats[UTF8Text(argument.name)] = "%\(index + 1)$\(argument.isNumber ? "lld" : "@")"
      }
    }

    /// A text with tokens as a format string. Without a token it is no format string, and a percent sign is one, unless
    /// the caller says otherwise.
    ///
    /// - Throws: `PayloadError` if a token is not declared: the text would name an argument that does not exist.
    func format(_ text: String, isFormat: Bool = false) throws(PayloadError) -> String {
      guard isFormat || text.contains("{{") else { return text }
      var result = ""
      var rest = text[...]
      while let start = rest.firstRange(of: "{{") {
        guard let end = rest[start.upperBound...].firstRange(of: "}}"),
          let argument = formats[UTF8Text(String(rest[start.upperBound..<end.lowerBound]))]
        else { throw PayloadError(reason: .records) }
        result += rest[..<start.lowerBound].replacing("%", with: "%%") + argument
        rest = rest[end.upperBound...]
      }
      return result + rest.replacing("%", with: "%%")
    }
  }
}
