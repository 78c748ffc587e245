/// What can be wrong with a chip.
public enum ChipFault: Sendable, Equatable {
  /// The data are a copy: the private keys are not those of DG14, DG15 and EF.CardSecurity.
  case clone
  /// The signature of Active Authentication is over another challenge.
  case wrongSignature
  /// The last token of PACE is wrong, as from somebody who does not know the password.
  case wrongToken
  /// The signed DG14 lists stronger PACE parameters than the unsigned EF.CardAccess: a downgrade.
  case otherParametersInDG14
  /// The mapping's public key is not on the curve.
  case pointOffCurve
  /// The mapping's public key is the point at infinity.
  case pointAtInfinity
  /// The mapping's public key has both coordinates zero.
  case zeroCoordinates
  /// The card sends the terminal's own mapping key back.
  case sameMappingKey
  /// The card sends the terminal's own key for the agreement back.
  case sameAgreementKey
  /// The length at the start of DG2 is more than the file has.
  case lyingLength
  /// DG2 says that it has 2 GB, and every read is answered.
  case endlessFile
  /// A short `Le` is answered with more bytes than it asks for.
  case longAnswers
  /// Extended length is announced, and such commands are refused.
  case refusedExtendedLength
  /// The card leaves the field at one exchange, counted from 0, and comes back after a while.
  case disappearance(exchange: Int, absence: Duration)
  /// The same at every so-manieth exchange.
  case disappearances(every: Int, absence: Duration)

  /// How long the card stays away after it has left at this exchange; nil where it stays.
  func absence(at exchange: Int) -> Duration? {
    switch self {
    case .disappearance(let place, let absence): place == exchange ? absence : nil
    case .disappearances(let interval, let absence):
      interval > 0 && exchange > 0 && exchange.isMultiple(of: interval) ? absence : nil
    default: nil
    }
  }
}
