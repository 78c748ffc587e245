public import TesseraCore

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

/// The reason why a text cannot be parsed as JSON. It names the position and never quotes the text.
public struct JSONError: FailureConvertible, Equatable {
  public enum Reason: Sendable, Equatable {
    /// The text violates the grammar.
    case syntax
    /// Arrays and objects are nested too deeply.
    case nesting
    /// The text contains half of a surrogate pair.
    case loneSurrogate
  }

  public let reason: Reason
  /// The position in bytes of UTF-8.
  public let offset: Int
  /// The limit of the parser that found the reason.
  var maximumNesting = JSONValue.maximumNesting
  /// Whether the text begins with a byte order mark, which nobody sees.
  var hasByteOrderMark = false

  public var failure: Failure {
    let cause =
      switch reason {
      case .syntax where hasByteOrderMark: "The text begins with a byte order mark, which JSON does not have"
      case .syntax: "The text is not JSON"
      case .nesting: "The JSON text is nested deeper than \(maximumNesting) levels"
      case .loneSurrogate: "The JSON text contains half of a surrogate pair"
      }
    return Failure(.usage, "\(cause) (at byte \(offset)).")
  }
}

/// A number with the digits of its JSON text, so that passing it on does not change it.
public struct JSONNumber: Sendable, Hashable {
  /// The number in the grammar of JSON.
  public let text: String

  /// Longer numbers are not converted: no program writes them, and the conversion is slow.
  private static let maximumLength = 1_000

  package init(grammatical text: String) { self.text = text }

  /// The shortest digits that represent the number; nil if it is not finite.
  public init?(_ number: Double) {
    guard number.isFinite else { return nil }
    text = number.description
  }

  /// The nearest floating-point number; nil if the number is out of range or has over 1,000 digits.
  public var double: Double? {
    guard text.utf8.count <= Self.maximumLength, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// Whether the number has neither a fraction nor an exponent.
  var isInteger: Bool {
    text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }
}

/// JSON in files that users write. Some editors begin a file with a byte order mark, which a parser may ignore (RFC 8259,
/// 8.1). Messages of programs have none.
extension JSONValue {
  /// U+FEFF in UTF-8.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The text without a byte order mark at its beginning.
  package static func withoutMark<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
  }

  /// Parses a file that the user has written, in UTF-8.
  ///
  /// - Throws: `JSONError`, as `init(text:)` does, also for other bytes than UTF-8.
  package init(handwritten bytes: some Collection<UInt8>) throws(JSONError) {
    guard let text = String(validating: Self.withoutMark(bytes), as: UTF8.self) else {
      throw JSONError(reason: .syntax, offset: 0)
    }
    try self.init(text: text)
  }
}
