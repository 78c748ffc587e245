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
