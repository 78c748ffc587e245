/// What a chip did to prove that it is the original, and a reader to prove its rights: kept as it was exchanged, judged
/// later, as often as wanted.
public struct ChipEvidence: Sendable, Equatable {
  public internal(set) var chipAuthentication: ChipAuthenticationEvidence?
  public internal(set) var activeAuthentication: ActiveAuthenticationEvidence?
  public internal(set) var paceChipAuthentication: PACEChipAuthenticationEvidence?
  public internal(set) var terminalAuthentication: TerminalAuthenticationEvidence?

  public init() {}
}
