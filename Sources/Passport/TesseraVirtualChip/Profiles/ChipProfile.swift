/// The behaviour of a software chip towards a terminal: its mechanisms, limits and faults.
public struct ChipProfile: Sendable, Equatable {
  /// The name for `ChipProfile(named:)` and the command line.
  public let name: String
  /// A description in one line.
  public var summary: String
  /// Whether the chip has Basic Access Control. Without it and without PACE, the files are readable without a key.
  public var requiresBasicAccessControl: Bool
  /// The maximum number of data bytes in one response; 256 for a chip without extended length.
  public var responseLimit: Int
  /// The status words for commands to optional parts.
  package var refusals = Refusals()
  /// Deviations that readers meet in the field.
  package var quirks = ChipQuirks()
  /// The entries of EF.CardAccess; empty for a chip without PACE.
  package var pace: [PACEOffer] = []
  /// The card access number printed on the data page; nil if the document has none.
  public var cardAccessNumber: String?
  /// The retry counters; a password without one is never blocked.
  package var tries: [CardPassword: CardPassword.RetryCounter] = [:]
  /// The static keys of Chip Authentication; empty for a chip without.
  package var chipAuthentication: [ChipAuthenticationOffer] = []
  /// The key of Active Authentication; nil for a chip without.
  package var activeAuthentication: ActiveAuthenticationOffer?
  /// Whether the chip has Terminal Authentication. Without it DG3 and DG4 are not readable.
  public var supportsTerminalAuthentication = false
  /// Whether the answer to reset announces command chaining. The chip always accepts it.
  public var announcesChaining = false
  /// Four digits, `aabb`.
  public var ldsVersion = "0108"
  /// Whether the document is a card with an MRZ of three lines (TD1).
  public var isCard = false
  /// How the country issues the document.
  package var issuance = DocumentIssuance()
  /// The fault of the chip; nil for none.
  public var fault: ChipFault?
  /// The delay of each command, in addition to the computation.
  public var latency = Duration.zero

  /// Unusual status words for optional parts; nil for the standard response.
  package struct Refusals: Sendable, Equatable {
    /// The status of SELECT MF.
    package var masterFile: UInt16?
    /// The status of every command to EF.CardAccess.
    package var cardAccess: UInt16?
    /// The status of EF.COM, returned without secure messaging.
    package var plainCommonData: UInt16?
    /// The status of every READ BINARY with a short file identifier.
    package var shortFileIdentifiers: UInt16?
    /// The status of READ BINARY with an offset in a file that a short file identifier, and not SELECT, selected.
    package var offsets: UInt16?
    /// The status of a command that is part of a chain.
    package var commandChaining: UInt16?

    package init() {}
  }

  /// A profile without PACE, Chip Authentication and Active Authentication.
  public init(name: String, summary: String, requiresBasicAccessControl: Bool, responseLimit: Int) {
    self.name = name
    self.summary = summary
    self.requiresBasicAccessControl = requiresBasicAccessControl
    self.responseLimit = responseLimit
  }

  /// Whether the chip announces extended length fields.
  package var announcesExtendedLength: Bool { responseLimit > 256 }

  /// Whether files are readable only after BAC or PACE.
  var hasAccessControl: Bool { requiresBasicAccessControl || !pace.isEmpty }

  /// Basic Access Control, short APDUs.
  public static let bac = ChipProfile(
    name: "bac", summary: "Basic Access Control, short APDUs (the default)", requiresBasicAccessControl: true,
    responseLimit: 256)
  /// Basic Access Control, extended length.
  public static let bacExtended = ChipProfile(
    name: "bac-extended", summary: "Basic Access Control, extended length", requiresBasicAccessControl: true,
    responseLimit: ChipProfile.largestResponse)
  /// No access control, short APDUs.
  public static let open = ChipProfile(
    name: "open", summary: "no access control, short APDUs", requiresBasicAccessControl: false, responseLimit: 256)

  /// The maximum of vpcd's two-byte length, less the status word.
  static let largestResponse = 65_533

  /// The profiles whose documents and verdicts differ. The deviating ones are not among them.
  public static let all: [ChipProfile] = [.bac, .bacExtended, .open] + documents + [.mechanisms] + faulty + issuances

  /// All named profiles.
  public static let named: [ChipProfile] = all + deviating

  /// Returns nil if there is no profile with this name.
  public init?(named name: String) {
    guard let profile = Self.named.first(where: { $0.name == name }) else { return nil }
    self = profile
  }
}

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
