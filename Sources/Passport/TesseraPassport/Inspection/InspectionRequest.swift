/// The parameters of one read: access key, data groups, authentication.
public struct InspectionRequest: Sendable {
  /// nil to read without access control.
  public var key: AccessKey?
  /// The data groups to read; nil for all groups that the chip lists and that need no Terminal Authentication.
  public var dataGroups: Set<Int>?
  /// The maximum length of one READ BINARY, in bytes; nil for as long as chip and reader support. Other commands are
  /// not limited.
  public var maximumReadLength: Int?
  /// The number of attempts at access control, for chips that fail sporadically.
  public var accessAttempts = 1
  /// The time between two attempts.
  public var accessPause: Duration = .milliseconds(500)
  /// Returns another key after the chip refused one, if the right one is not known for sure; nil ends the read with the
  /// refusal. Not called once the chip was open, nor after a chip has suspended or blocked its password.
  public var keyAfterRefusal: (@Sendable (KeyRefusal) async throws -> MRZInformation?)?

  /// How long to wait for a document that was removed during the read. If it is replaced within this time, the read
  /// resumes; zero ends the read at once.
  public var gracePeriod: Duration = .seconds(10)
  /// Whether to read EF.DIR, EF.ATR/INFO and EF.CardSecurity too, which describe the card and not the document.
  public var readsCardFiles = false

  /// Whether to open the chip by Basic Access Control even if it offers PACE.
  public var skipsPACE = false
  public var chipAuthentication = ChipAuthenticationPolicy.withGroup14
  /// The key of Basic Access Control if `key` is a card access number and the chip does not offer PACE.
  public var basicAccessKey: MRZInformation?
  /// Whether to read DG14 and DG15, if the document lists them, even if `dataGroups` does not contain them. The
  /// checks need them: they hold the keys of the chip and the signed copy of EF.CardAccess.
  public var readsSecurityGroups = false
  /// The challenge of Active Authentication, 8 bytes; nil for a random one. Whoever chose it can tell later that the
  /// chip was present after the choice.
  public var activeAuthenticationChallenge: [UInt8]?
  /// Certificates and key of Terminal Authentication, which opens DG3 and DG4.
  public var terminalCredentials: TerminalCredentials?
  /// What the read does otherwise because a part of it is elsewhere; nil for a read of this machine alone.
  package var distance: (@Sendable (Inspection) -> any DistantReading)?

  public init(key: AccessKey?, dataGroups: Set<Int>? = nil, maximumReadLength: Int? = nil) {
    self.key = key
    self.dataGroups = dataGroups
    self.maximumReadLength = maximumReadLength
  }
}

extension InspectionRequest {
  /// Data groups that are read only for the checks.
  package var securityGroups: Set<Int> { readsSecurityGroups ? [14, 15] : [] }
}

/// When to perform Chip Authentication.
public enum ChipAuthenticationPolicy: Sendable, Equatable {
  /// If the request includes DG14, or has terminal credentials.
  case withGroup14
  /// Whenever the document offers it. DG14 is then read even if the request does not include it.
  case always
  case never
}

/// The progress of a read.
public enum InspectionProgress: Sendable, Equatable {
  case connected
  case accessing(AccessProtocol)
  /// Access control succeeded; `.none` means that the chip requires none.
  case accessGranted(AccessProtocol)
  case reading(ElementaryFile, bytes: Int, of: Int)
  case authenticatingChip
  /// The document was removed. The read resumes if it is replaced in time.
  case lost
  /// The document was replaced and access control performed again.
  case returned
  case finished
}
