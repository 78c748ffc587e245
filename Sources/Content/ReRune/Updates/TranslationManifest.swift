internal import TesseraCore
internal import TesseraJSON
internal import TesseraLocales

/// What the server has: its revision, and where the texts of each locale are. The parser accepts every form that a
/// server of ReRune ever sent.
struct TranslationManifest: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    /// The locale as the server writes it, without the spaces at its ends. It is no longer than a tag may be.
    var name: String
    /// The entity tag of the texts, if the server says it.
    var tag: String?
    /// The address of the texts, relative to the server's base or absolute. Nil for the usual one.
    var address: String?
    /// The version of the texts, since 0.8 of the SDK.
    var version: Int?
    /// A difference to another version is asked for only if the stored texts had the same value (since 0.8 of the SDK).
    var minimumDeltaBase: Int?
    /// The name of the language for the user (since 0.10 of the SDK).
    var displayName: String?
  }

  static let maximumSize = 1 << 20
  /// More would be no list of languages.
  private static let maximumEntries = 10_000

  /// Nil if the server does not say it.
  var revision: Int?
  var entries: [LocaleTag: Entry]
  /// The language whose texts follow those of the user's (since 0.7 of the SDK).
  var mainLanguage: LocaleTag?

  /// - Returns: nil if the body is no JSON object, has no list of locales, or a main language that is none of them.
  init?(_ body: [UInt8]) {
    // RFC 8259, 8.1 lets a parser ignore a byte order mark.
    let body = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
    guard let text = String(validating: body, as: UTF8.self), let root = try? JSONValue(text: text),
      case .object = root, let container = Self.first(["locales", "translations", "bundles"], in: root)
    else { return nil }
    revision = Self.first(["revision", "version"], in: root).flatMap(Self.integer)
    let list: [Entry]
    switch container {
    case .array(let elements): list = elements.compactMap(Self.entry)
    case .object(let members): list = members.members.compactMap { Self.entry($0.name, $0.value) }
    default: return nil
    }
    guard list.count <= Self.maximumEntries else { return nil }
    // A list of things that are no locales is another list.
    if list.isEmpty, case .array(let elements) = container, !elements.isEmpty { return nil }
    let tagged = list.compactMap { entry in
      var entry = entry
      entry.name = entry.name.trimmed
      return LocaleTag(entry.name).map { ($0, entry) }
    }
    entries = Dictionary(tagged) { _, last in last }
    if let main = Self.first(["main_language"], in: root) {
      guard let tag = main.stringValue.flatMap({ LocaleTag($0) }), entries.keys.contains(where: tag.hasSameTexts)
      else { return nil }
      mainLanguage = tag
    }
  }

  /// An element of the array form: an object, or the locale alone.
  private static func entry(_ element: JSONValue) -> Entry? {
    if case .string(let name) = element { return Entry(name: name) }
    guard let name = first(["locale", "code", "language"], in: element)?.stringValue else { return nil }
    return entry(name, element)
  }

  /// A member of the keyed form: an object, null, or a text that is the address or the tag.
  private static func entry(_ name: String, _ value: JSONValue) -> Entry? {
    switch value {
    case .object:
      Entry(
        name: name, tag: first(["etag", "version"], in: value).flatMap(text),
        address: first(["url", "resource_url"], in: value)?.stringValue, version: count(value["version"]),
        minimumDeltaBase: count(value["minimum_delta_base_version"]), displayName: value["name"]?.stringValue)
    case .null: Entry(name: name)
    case .string(let text): isAddress(text) ? Entry(name: name, address: text) : Entry(name: name, tag: text)
    default: nil
    }
  }

  /// The value of the first of the keys that is present; null counts as absent.
  private static func first(_ keys: [String], in object: JSONValue) -> JSONValue? {
    keys.lazy.compactMap { object[$0] }.first { $0 != .null }
  }

  private static func integer(_ value: JSONValue) -> Int? {
    switch value {
    case .integer(let number): Int(number)
    case .string(let text): text.utf8.count <= 20 ? Int(text) : nil
    default: nil
    }
  }

  /// A number that is no text and not negative.
  private static func count(_ value: JSONValue?) -> Int? {
    guard case .integer(let number)? = value, number >= 0 else { return nil }
    return Int(number)
  }

  private static func text(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): number.text
    default: nil
    }
  }

  private static func isAddress(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("https://") || start.hasPrefix("http://")
  }
}
