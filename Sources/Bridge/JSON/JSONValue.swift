/// Any JSON value. On its way through it keeps all that it had: the order of members, the bytes of names and texts, the
/// digits of numbers.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// A number written without fraction and exponent that fits.
  case integer(Int64)
  /// Any other number.
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// How deep arrays and objects may lie in each other.
  public static let deepestNesting = 64

  /// - Throws: `JSONError` for anything but one JSON text (RFC 8259), for one that is nested too deeply, and for one
  ///   that holds half of a surrogate pair, which no text can.
  public init(text: some StringProtocol) throws(JSONError) {
    var reader = JSONReader(text)
    self = try reader.text()
  }

  /// One line, members in their order.
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

extension JSONValue: Equatable {
  /// Texts and names are the same where their UTF-8 is.
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
