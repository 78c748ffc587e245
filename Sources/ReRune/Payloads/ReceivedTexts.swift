import Glibc
internal import TesseraCore
internal import TesseraJSON

/// The texts of one locale as a server sends them: one of three forms, which their shape tells apart.
///
/// - an object `{"key": "text"}`, or the text of a `.strings` file: used as it is;
/// - a string catalog `{"sourceLanguage": …, "strings": {…}}`, which the server has sent since April 2026;
/// - an array of records `[{"key": …, "values": […]}]`, which it has sent since July 2026.
///
/// The last two become an object of the first form. A plural is left out: the program's own text stays. What has none of
/// these forms, or no text at all, is refused, so that an error of a server never takes texts away. An array of
/// records is the one way to say that a locale has no texts any more.
struct ReceivedTexts {
  let payload: TranslationPayload
  let table: StringTable

  /// - Parameters:
  ///   - body: UTF-8, or UTF-16 with a byte order mark.
  ///   - tag: the locale that was asked for.
  /// - Throws: `PayloadError`
  init(_ body: [UInt8], mediaType: String?, for tag: LocaleTag) throws(PayloadError) {
    let received = try TranslationPayload(body, mediaType: mediaType)
    var mayBeEmpty = false
    switch received.text.bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
    case UInt8(ascii: "["):
      payload = try Self.flat(Self.records(try Self.json(received)))
      mayBeEmpty = true
    case _ where Self.mayBeCatalog(received):
      let root = try Self.json(received)
      payload = try Self.isCatalog(root) ? Self.flat(Self.catalog(root, tag)) : received
    default: payload = received
    }
    table = try payload.table()
    guard table.count > 0 || mayBeEmpty else { throw PayloadError(reason: .noTexts) }
  }

  private static func json(_ payload: TranslationPayload) throws(PayloadError) -> JSONValue {
    guard let root = try? JSONValue(text: payload.text.string) else { throw PayloadError(reason: .syntax) }
    return root
  }

  private static func flat(_ texts: [String: String]) throws(PayloadError) -> TranslationPayload {
    let object = JSONValue.object(JSONObject(texts.mapValues { .string($0) }))
    guard let text = PaddedText(Array(object.text.utf8)) else {
      throw PayloadError(reason: .notUTF8)
    }
    return try TranslationPayload(text)
  }

  // MARK: - Catalogs

  /// Whether the text has the name of a member that each catalog has. Searched in place: a program reads its cache at its
  /// start, and most payloads are no catalogs.
  private static func mayBeCatalog(_ payload: TranslationPayload) -> Bool {
    // Zero bytes follow the text, and none is in JSON.
    let text = UnsafeRawPointer(payload.text.start).assumingMemoryBound(to: CChar.self)
    return payload.format == .json && strstr(text, "\"sourceLanguage\"") != nil
  }

  /// Whether a payload of the cache is a catalog that an earlier version took for texts.
  static func isCatalog(_ payload: TranslationPayload) -> Bool {
    mayBeCatalog(payload) && (try? json(payload)).map(isCatalog) == true
  }

  private static func isCatalog(_ root: JSONValue) -> Bool {
    guard root["sourceLanguage"]?.stringValue != nil, case .object? = root["strings"] else { return false }
    return true
  }

  /// The texts of a locale. State, comment and device of a unit have no effect; of several devices, `other` counts.
  private static func catalog(_ root: JSONValue, _ tag: LocaleTag) throws(PayloadError) -> [String: String] {
    guard case .object(let strings)? = root["strings"] else { throw PayloadError(reason: .syntax) }
    var texts: [String: String] = [:]
    for member in strings.members {
      guard case .object(let localizations)? = member.value["localizations"],
        let localization = localizations.members.first(where: { LocaleTag($0.name) == tag })?.value
      else { continue }
      texts[member.name] = unit(localization)
    }
    // A catalog without one text for this locale is another one's.
    guard !texts.isEmpty else { throw PayloadError(reason: .noTexts) }
    return texts
  }

  private static func unit(_ localization: JSONValue) -> String? {
    let unit = localization["stringUnit"] ?? localization["variations"]?["device"]?["other"]?["stringUnit"]
    guard localization["substitutions"] == nil, let value = unit?["value"]?.stringValue else { return nil }
    return value.isEmpty && unit?["state"]?.stringValue == "new" ? nil : value
  }

  // MARK: - Records

  private static func records(_ root: JSONValue) throws(PayloadError) -> [String: String] {
    guard case .array(let nodes) = root else { throw PayloadError(reason: .syntax) }
    var texts: [String: String] = [:]
    for node in nodes {
      guard case .object = node, let key = node["key"]?.stringValue else { throw PayloadError(reason: .records) }
      // Objects and arrays of keys have no text of their own.
      guard node["type"].map({ $0.stringValue == "key" }) ?? true else { continue }
      guard case .array(let values)? = node["values"], values.count <= 1 else { throw PayloadError(reason: .records) }
      guard let value = values.first else { continue }
      guard case .object = value else { throw PayloadError(reason: .records) }
      if let text = value["value"]?.stringValue {
        texts[key] = try format(text, node["placeholders"])
      } else if value["message"] == nil {
        throw PayloadError(reason: .records)
      }
    }
    return texts
  }

  /// A text with tokens `{{name}}` as a format string, whose arguments have the order of the declared placeholders.
  ///
  /// - Throws: `PayloadError` if a token is not declared: the text would name an argument that does not exist.
  private static func format(_ text: String, _ declared: JSONValue?) throws(PayloadError) -> String {
    guard text.contains("{{") else { return text }
    var types: [String: String] = [:]
    if case .array(let placeholders)? = declared {
      for (index, placeholder) in placeholders.enumerated() {
        guard let name = placeholder["name"]?.stringValue else { throw PayloadError(reason: .records) }
        let isNumber = placeholder["type"]?.stringValue?.lowercased() == "int"
        types[name] = "%\(index + 1)$\(isNumber ? "lld" : "@")"
      }
    }
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "{{") {
      guard let end = rest[start.upperBound...].firstRange(of: "}}"),
        let argument = types[String(rest[start.upperBound..<end.lowerBound])]
      else { throw PayloadError(reason: .records) }
      result += rest[..<start.lowerBound].replacing("%", with: "%%") + argument
      rest = rest[end.upperBound...]
    }
    return result + rest.replacing("%", with: "%%")
  }
}
