/// A fault of a chip, for tests of a reader.
public enum ChipFault: Sendable, Equatable {
  /// A cloned chip: the private keys do not match DG14, DG15 and EF.CardSecurity.
  case clone
  /// The signature of Active Authentication is over another challenge.
  case wrongSignature
  /// The authentication token of PACE is wrong, as if the chip did not know the password.
  case wrongToken
  /// The signed DG14 lists stronger PACE parameters than the unsigned EF.CardAccess: a downgrade.
  case otherParametersInDG14
  /// The mapping's public key is not on the curve.
  case pointOffCurve
  /// The mapping's public key is the point at infinity.
  case pointAtInfinity
  /// The mapping's public key has both coordinates zero.
  case zeroCoordinates
  /// The card returns the terminal's own mapping key.
  case sameMappingKey
  /// The card returns the terminal's own key for the key agreement.
  case sameAgreementKey
  /// The length field at the start of DG2 exceeds the file.
  case lyingLength
  /// The length field of DG2 states 2 GB, and every read succeeds.
  case endlessFile
  /// The response to a short `Le` is longer than requested.
  case longAnswers
  /// The chip announces extended length and refuses such commands.
  case refusedExtendedLength
  /// The card is removed at one exchange, counted from 0, and replaced after `absence`.
  case disappearance(exchange: Int, absence: Duration)
  /// The card is removed at every multiple of `every` exchanges, and replaced after `absence`.
  case disappearances(every: Int, absence: Duration)

  /// How long the card is absent from this exchange on; nil if it is not removed.
  func absence(at exchange: Int) -> Duration? {
    switch self {
    case .disappearance(let index, let absence): index == exchange ? absence : nil
    case .disappearances(let interval, let absence):
      interval > 0 && exchange > 0 && exchange.isMultiple(of: interval) ? absence : nil
    default: nil
    }
  }
}
