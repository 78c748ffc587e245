/// The name of a desk: 1 to 32 lower-case letters, digits and hyphens, so that it is one token of a subject.
public struct DeskName: Sendable, Hashable {
  public let text: String

  /// nil for any other text.
  public init?(_ text: String) {
    guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}

extension DeskName: CustomStringConvertible {
  public var description: String { text }
}
