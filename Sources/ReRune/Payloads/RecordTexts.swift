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
  let entries: [TextForms]

  /// - Throws: `PayloadError` for a record without a key or without a value, for a token that is not declared, and for
  ///   texts of another language.
  init(_ root: JSONValue, for tag: LocaleTag) throws(PayloadError) {
    guard case .array(let nodes) = root else { throw PayloadError(reason: .syntax) }
    var entries: [TextForms] = []
    for node in nodes {
      guard case .object = node, let key = node["key"]?.stringValue else { throw PayloadError(reason: .records) }
      // Objects and arrays of keys have no text of their own.
      guard node["type"].map({ $0.stringValue == "key" }) ?? true else { continue }
      guard case .array(let values)? = node["values"], values.count <= 1 else { throw PayloadError(reason: .records) }
      guard let value = values.first else {
        entries.append(TextForms(key, nil))
        continue
      }
      guard case .object = value else { throw PayloadError(reason: .records) }
      if let other = value["lang"]?.stringValue.flatMap({ LocaleTag($0) }), other.language != tag.language,
        !other.hasSameTexts(as: tag)
      {
        throw PayloadError(reason: .noTexts)
      }
      if let text = value["value"]?.stringValue {
        entries.append(TextForms(key, try Arguments(node, first: nil).format(text)))
      } else if case .array(let parts)? = value["message"]?["parts"] {
        entries.append(try Self.message(key, parts, node) ?? TextForms(key, nil))
      } else {
        throw PayloadError(reason: .records)
      }
    }
    self.entries = entries
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
    let parts = parts.split(maxSplits: 1, omittingEmptySubsequences: false) { $0["variant"] != nil }.map(Array.init)
    guard let before = text(parts[0]), let after = text(parts[1]) else { return nil }
    var texts: [String: String] = [:]
    for form in forms {
      guard let selector = form["selector"]?.stringValue, case .array(let parts)? = form["parts"] else {
        throw PayloadError(reason: .records)
      }
      guard let text = text(parts) else { return nil }
      if isSelector(selector) { texts[selector] = before + text + after }
    }
    // If one form is a format string, the others are, too: the program uses them in the same way.
    let arguments = try Arguments(node, first: variable)
    let isFormat = texts.values.contains { $0.contains("{{") }
    for (selector, text) in texts { texts[selector] = try arguments.format(text, isFormat: isFormat) }
    var offset = 0
    if case .integer(let number)? = variant["offset"], let number = Int32(exactly: number) { offset = Int(number) }
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
    private var formats: [String: String] = [:]

    /// - Parameter first: an argument that comes before the declared ones, unless it is one of them.
    init(_ node: JSONValue, first: String?) throws(PayloadError) {
      var arguments: [(name: String, isNumber: Bool)] = []
      if case .array(let placeholders)? = node["placeholders"] {
        for placeholder in placeholders {
          guard let name = placeholder["name"]?.stringValue else { throw PayloadError(reason: .records) }
          arguments.append((name, placeholder["type"]?.stringValue?.lowercased() == "int"))
        }
      }
      if let first, !arguments.contains(where: { $0.name == first }) { arguments.insert((first, true), at: 0) }
      for (index, argument) in arguments.enumerated() {
        formats[argument.name] = "%\(index + 1)$\(argument.isNumber ? "lld" : "@")"
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
          let argument = formats[String(rest[start.upperBound..<end.lowerBound])]
        else { throw PayloadError(reason: .records) }
        result += rest[..<start.lowerBound].replacing("%", with: "%%") + argument
        rest = rest[end.upperBound...]
      }
      return result + rest.replacing("%", with: "%%")
    }
  }
}
