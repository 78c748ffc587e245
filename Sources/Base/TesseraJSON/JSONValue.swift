import TesseraCore

/// A JSON value. It preserves the order of members, the bytes of strings and the digits of numbers.
///
/// Tessera has its own JSON parser since Foundation's neither limits the nesting depth nor preserves all digits of
/// numbers (64-bit integers included) and the order of members, and stored documents must not change.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits into 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The maximum nesting depth of arrays and objects.
  public static let maximumNesting = 64

  /// Parses one JSON text (RFC 8259).
  ///
  /// - Throws: `JSONError` if the text violates the grammar, is nested too deeply, or contains half of a surrogate
  ///   pair.
  public init(text: some StringProtocol) throws(JSONError) {
    var reader = JSONReader(text)
    self = try reader.text()
  }

  /// Parses one JSON text of a format that needs another nesting depth than messages do. Every level takes some of the
  /// thread's stack, so the depth must be a small number.
  ///
  /// - Throws: `JSONError`, as `init(text:)` does.
  package init(text: some StringProtocol, maximumNesting: Int) throws(JSONError) {
    var reader = JSONReader(text, maximumNesting: maximumNesting)
    self = try reader.text()
  }

  /// The JSON text on one line, with the members in their order.
  public var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return PrintableText.escaped(json: writer.text)
  }

  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  public var stringValue: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }
}

extension JSONValue: Equatable {
  /// Strings and names are equal if their UTF-8 is equal.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.hasBytes(of: other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var members = JSONObject()
    for (name, value) in elements { members[name] = value }
    self = .object(members)
  }
}
