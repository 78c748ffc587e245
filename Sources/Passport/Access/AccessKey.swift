import Cryptography

/// What opens the chip.
public enum AccessKey: Sendable {
  /// From the machine readable zone; opens BAC and PACE.
  case mrz(MRZInformation)
  /// The card access number printed on the document; opens PACE only.
  case can(SecretBytes)
}

extension AccessKey {
  /// - Parameter digits: the card access number, decimal digits.
  /// - Throws: `MRZError.malformedField` for anything else.
  public init(cardAccessNumber digits: some StringProtocol) throws(MRZError) {
    let bytes = digits.utf8.filter { $0 != UInt8(ascii: " ") }
    guard (4...16).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformedField("card access number", line: nil)
    }
    self = .can(SecretBytes(bytes))
  }
}
