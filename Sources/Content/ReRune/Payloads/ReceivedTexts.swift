import Glibc
internal import TesseraCore
internal import TesseraJSON
internal import TesseraLocales

/// The texts of one locale as a server sends them: one of three forms, which their shape tells apart.
///
/// - an object `{"key": "text"}`, or the text of a `.strings` file: used as it is;
/// - a string catalog (`CatalogTexts`), which the server has sent since April 2026;
/// - an array of records (`RecordTexts`), which it has sent since July 2026.
///
/// The last two become an object of the first form. What has none of these forms, or no text at all, is refused, so that an
/// error of a server never takes texts away. An array of records is the one way to say that a locale has no texts
/// any more.
struct ReceivedTexts {
  let payload: TranslationPayload
  let table: StringTable
  /// Whether they are a catalog or records.
  let isStructured: Bool

  /// - Parameters:
  ///   - body: UTF-8, or UTF-16 with a byte order mark.
  ///   - tag: the locale that was asked for.
  ///   - previous: the texts that the server had been told of, if it was asked for the difference to them: what it sends for
  ///     a key replaces what they have for it.
  ///     An empty difference is refused: the caller asks for all texts then.
  ///   - replaced: the texts whose place the new ones take.
  ///   - allowsFlat: false if the server has sent catalogs or records before. An object of texts is then another answer.
  /// - Throws: `PayloadError`
  init(
    _ body: [UInt8], mediaType: String?, for tag: LocaleTag, changing previous: TranslationPayload? = nil,
    replacing replaced: TranslationPayload? = nil, allowsFlat: Bool = true
  ) throws(PayloadError) {
    let received = try TranslationPayload(body, mediaType: mediaType)
    let isRecords = received.text.bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
    var mayBeEmpty = previous != nil
    if isRecords {
      let records = try RecordTexts(try Self.json(received), for: tag)
      mayBeEmpty = mayBeEmpty || !records.hasUnusable
      payload = try Self.flat(records.entries, previous)
      isStructured = true
    } else if let catalog = try Self.catalog(received) {
      payload = try Self.flat(try CatalogTexts(catalog, for: tag).entries, previous)
      isStructured = true
    } else {
      guard allowsFlat else { throw PayloadError(reason: .otherForm) }
      guard try !Self.isError(received, replacing: replaced) else { throw PayloadError(reason: .noTexts) }
      payload =
        try previous.map { old throws(PayloadError) in
          try Self.flat(received.table().texts.map { TextForms($0.key, $0.text) }, old)
        } ?? received
      isStructured = false
    }
    table = try payload.table()
    // A catalog without one text for this locale is another one's.
    guard table.count > 0 || mayBeEmpty else { throw PayloadError(reason: .noTexts) }
  }

  private static func json(_ payload: TranslationPayload) throws(PayloadError) -> JSONValue {
    guard let root = try? JSONValue(text: payload.text.string) else { throw PayloadError(reason: .syntax) }
    return root
  }

  /// The texts as an object, in the place of those that `previous` has for the same keys.
  private static func flat(
    _ entries: [TextForms], _ previous: TranslationPayload?
  ) throws(PayloadError) -> TranslationPayload {
    var object = JSONObject()
    if let previous {
      guard !entries.isEmpty else { throw PayloadError(reason: .noDifference) }
      let changed = Set(entries.map { UTF8Text($0.key) })
      // The forms of a key go with it.
      for (key, text) in try previous.table().texts where !changed.contains(UTF8Text(TextForms.key(ofForm: key))) {
        object[key] = .string(text)
      }
    }
    // Of several entries with one key, the last one counts.
    let last = Dictionary(entries.enumerated().map { (UTF8Text($1.key), $0) }) { _, last in last }
    for (index, entry) in entries.enumerated() where last[UTF8Text(entry.key)] == index {
      for (key, text) in entry.texts { object[key] = .string(text) }
    }
    guard let text = PaddedText(Array(JSONValue.object(object).text.utf8)) else {
      throw PayloadError(reason: .notUTF8)
    }
    return try TranslationPayload(text)
  }

  /// The root of a catalog; nil if the payload is none. Most payloads are none: the name of a member that each catalog has is
  /// searched in place first.
  private static func catalog(_ payload: TranslationPayload) throws(PayloadError) -> JSONValue? {
    // Zero bytes follow the text, and none is in JSON.
    let text = UnsafeRawPointer(payload.text.start).assumingMemoryBound(to: CChar.self)
    guard payload.format == .json, strstr(text, "\"sourceLanguage\"") != nil else {
      return Optional.none
    }
    let root = try json(payload)
    guard CatalogTexts.isCatalog(root) else { return Optional.none }
    return root
  }

  /// Whether a payload of the cache is a catalog that an earlier version took for texts.
  static func isCatalog(_ payload: TranslationPayload) -> Bool { (try? catalog(payload)) ?? nil != nil }

  /// Whether an object of texts says that a request failed: it has such a member, and either only members that are part of
  /// such answers (RFC 9457, and the usual ones of web frameworks), or no key of the texts that it would replace.
  private static func isError(
    _ payload: TranslationPayload, replacing replaced: TranslationPayload?
  ) throws(PayloadError) -> Bool {
    guard payload.format == .json, payload.text.count <= maximumErrorSize,
      case .object(let root) = try json(payload)
    else { return false }
    let names = root.names.map { $0.lowercased().replacing("_", with: "") }
    guard names.contains(where: errorMembers.contains) else { return false }
    if names.allSatisfy({ errorMembers.contains($0) || otherErrorMembers.contains($0) }) { return true }
    guard let old = try replaced?.table(), old.count > 0 else { return false }
    return !root.names.contains { old.text($0) != nil }
  }

  private static let maximumErrorSize = 64 << 10
  /// In lower case, without underlines.
  private static let errorMembers: Set = [
    "error", "errors", "errorcode", "errordescription", "errormessage", "exception", "message", "msg", "status",
    "statuscode", "detail", "details",
  ]
  private static let otherErrorMembers: Set = [
    "code", "correlationid", "data", "description", "documentationurl", "hint", "id", "instance", "ok", "path",
    "reason",
    "requestid", "result", "success", "timestamp", "title", "trace", "traceid", "type", "url",
  ]
}
