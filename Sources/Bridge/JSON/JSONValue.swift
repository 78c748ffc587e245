/// Any JSON value. Integers stay integers on their way through.
public enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number written without fraction and exponent that fits.
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// How deep arrays and objects may lie in each other.
  public static let deepestNesting = 64

  /// - Throws: `JSONError` for anything but one JSON text (RFC 8259), for one that is nested too deeply, and for one
  ///   that holds what a value cannot: a number out of range, half of a surrogate pair.
  public init(text: some StringProtocol) throws(JSONError) {
    var reader = JSONReader(text)
    self = try reader.text()
  }

  /// One line, keys in alphabetical order. Numbers that JSON does not have (not finite) become null.
  public var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return writer.text
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

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
