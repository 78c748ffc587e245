import TesseraCryptography

/// The key that gives access to the chip.
public enum AccessKey: Sendable {
  /// The information in the machine readable zone, for BAC and PACE.
  case mrz(MRZInformation)
  /// The card access number printed on the document, for PACE only.
  case can(SecretBytes)
}

extension AccessKey {
  /// - Parameter digits: the card access number, 4 to 16 decimal digits. Spaces are ignored.
  /// - Throws: `MRZError.malformedField` for any other text.
  public init(cardAccessNumber digits: some StringProtocol) throws(MRZError) {
    let bytes = digits.utf8.filter { $0 != UInt8(ascii: " ") }
    guard (4...16).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformedField("card access number", line: nil)
    }
    self = .can(SecretBytes(bytes))
  }
}
