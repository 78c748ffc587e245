/// A number as it was written. Readers of JSON differ in what they make of one; who only hands it on changes nothing.
public struct JSONNumber: Sendable, Hashable {
  /// By the grammar of JSON.
  public let text: String

  /// More digits than any program writes would only cost time.
  private static let longest = 1_000

  init(grammatical text: String) { self.text = text }

  /// nil for a number that is not finite, which JSON does not have. Else the shortest digits that read back as the same
  /// number.
  public init?(_ number: Double) {
    guard number.isFinite else { return nil }
    text = number.description
  }

  /// nil for one that is out of range or has too many digits.
  public var double: Double? {
    guard text.utf8.count <= Self.longest, let number = Double(text), number.isFinite else { return nil }
    return number
  }

  /// Whether it is an integer that has no fraction and no exponent.
  var isInteger: Bool {
    text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }
}
