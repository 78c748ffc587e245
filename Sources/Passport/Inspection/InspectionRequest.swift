/// What to read, and with which key.
public struct InspectionRequest: Sendable {
  /// nil tries to read without access control.
  public var key: AccessKey?
  /// The data groups wanted; nil for every one that the chip lists and that is open to everybody.
  public var dataGroups: Set<Int>?
  /// The user's cap on the length of one READ BINARY, in bytes; other commands are as long as they need.
  public var maximumReadLength: Int?
  /// How often to try access control before giving up, and the pause between, for chips that stumble.
  public var accessAttempts = 1
  public var accessPause: Duration = .milliseconds(500)

  /// How long to wait for a document that was moved away during the read; zero ends the read at once.
  public var returnTime: Duration = .seconds(10)
  /// Whether to read EF.DIR, EF.ATR/INFO and EF.CardSecurity too, which tell of the card and not of the document.
  public var readsCardFiles = false

  /// Opens the chip by Basic Access Control even where it offers PACE.
  public var skipsPACE = false
  public var chipAuthentication = ChipAuthenticationPolicy.withGroup14
  /// For Basic Access Control where `key` opens by PACE only and the chip does not offer that.
  public var basicAccessKey: MRZInformation?
  /// Whether DG14 and DG15, where the document lists them, are read even where `dataGroups` leaves them out: they tell
  /// how the chip proves that it is the original, and which access control the issuer has signed.
  public var readsSecurityGroups = false
  /// The challenge of Active Authentication, 8 bytes, for callers that must have chosen it; nil for a random one.
  public var activeAuthenticationChallenge: [UInt8]?
  /// The right to read DG3 and DG4.
  public var terminalCredentials: TerminalCredentials?

  public init(key: AccessKey?, dataGroups: Set<Int>? = nil, maximumReadLength: Int? = nil) {
    self.key = key
    self.dataGroups = dataGroups
    self.maximumReadLength = maximumReadLength
  }
}

extension InspectionRequest {
  /// Data groups that are read for the checks alone.
  var securityGroups: Set<Int> { readsSecurityGroups ? [14, 15] : [] }
}

/// When Chip Authentication is done.
public enum ChipAuthenticationPolicy: Sendable, Equatable {
  /// Where DG14 is among the groups wanted.
  case withGroup14
  /// Where the document offers it, for which DG14 is read even where it is not wanted.
  case always
  case never
}

/// Where a read stands.
public enum InspectionProgress: Sendable, Equatable {
  case connected
  case accessing(AccessProtocol)
  /// Access control ended well; `.none` means that the chip wanted none.
  case accessGranted(AccessProtocol)
  case reading(ElementaryFile, bytes: Int, of: Int)
  case authenticatingChip
  /// The document has left the reader; its return is awaited.
  case lost
  /// It is back, and open again.
  case returned
  case finished
}
