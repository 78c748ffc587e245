import TesseraSmartCard

/// The evidence of Chip, Active and Terminal Authentication, as it was exchanged. It can be verified later without the
/// chip.
public struct ChipEvidence: Sendable, Equatable {
  package internal(set) var chipAuthentication: ChipAuthenticationEvidence?
  /// Whether the chip offers Chip Authentication, the request included it, and the chip made it impossible.
  package internal(set) var withholdsChipAuthentication = false
  package internal(set) var activeAuthentication: ActiveAuthenticationEvidence?
  package internal(set) var paceChipAuthentication: PACEChipAuthenticationEvidence?
  /// Whether `paceChipAuthentication` is what another machine reports, which performed PACE and may be lying. It may
  /// then speak against the document, and proves nothing.
  package internal(set) var isMappingReported = false
  /// The status word with which the chip refused the Chip Authentication Mapping that it offers; nil if it did not.
  package internal(set) var mappingRefusal: StatusWord?
  package internal(set) var terminalAuthentication: TerminalAuthenticationEvidence?

  public init() {}
}
