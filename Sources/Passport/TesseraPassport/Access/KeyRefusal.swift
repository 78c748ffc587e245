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
