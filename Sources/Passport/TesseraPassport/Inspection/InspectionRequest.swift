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
  /// Proves the chip from elsewhere. Then `chipAuthentication` and `terminalCredentials` have no effect, since both need
  /// keys that this machine does not have; DG14 and DG15 are read if the document lists them.
  public var witness: (any ChipWitness)?
  /// Whether another machine states the limits of the reader, and may lie. Then a reader that cannot carry what proves the
  /// chip ends the read with `ChipWitnessError.readerUnsuitable`: a copied chip could hide behind stated limits.
  public var distrustsReader = false

  public init(key: AccessKey?, dataGroups: Set<Int>? = nil, maximumReadLength: Int? = nil) {
    self.key = key
    self.dataGroups = dataGroups
    self.maximumReadLength = maximumReadLength
  }
}

extension InspectionRequest {
  /// Data groups that are read only for the checks.
  var securityGroups: Set<Int> { readsSecurityGroups || witness != nil ? [14, 15] : [] }

  /// Certificates and key of Terminal Authentication, if this machine can perform it.
  var usableTerminalCredentials: TerminalCredentials? { witness == nil ? terminalCredentials : nil }
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
