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

/// The refusal of an access key by a chip that was not open before.
public struct KeyRefusal: Sendable, Equatable {
  /// The protocol in which the chip refused the key.
  public let access: AccessProtocol
  /// How many tries the chip leaves; nil if it does not say that it counts them.
  public let triesLeft: Int?
}

extension PassportError {
  /// The refusal of a key after which the chip may accept another one; nil for every other error.
  var keyRefusal: KeyRefusal? {
    switch self {
    case .accessDenied(let access, let status): KeyRefusal(access: access, triesLeft: status.triesLeft)
    case .pace(.wrongPassword(let triesLeft, _)): KeyRefusal(access: .pace, triesLeft: triesLeft)
    default: nil
    }
  }
}
