import SmartCard

/// What a chip did to prove that it is the original, and a reader to prove its rights: kept as it was exchanged, judged
/// later, as often as wanted.
public struct ChipEvidence: Sendable, Equatable {
  public internal(set) var chipAuthentication: ChipAuthenticationEvidence?
  /// Whether the chip offers Chip Authentication, was to be asked, and made that impossible.
  public internal(set) var withholdsChipAuthentication = false
  public internal(set) var activeAuthentication: ActiveAuthenticationEvidence?
  public internal(set) var paceChipAuthentication: PACEChipAuthenticationEvidence?
  /// The status word by which the chip refused the chip authentication mapping that it offers; nil where it did not.
  public internal(set) var mappingRefusal: StatusWord?
  public internal(set) var terminalAuthentication: TerminalAuthenticationEvidence?

  public init() {}
}
