/// How a software chip behaves towards a terminal.
public struct ChipProfile: Sendable, Equatable {
  /// The name at the command line.
  public let name: String
  /// One line for `tessera chip profiles`.
  public var summary: String
  /// Whether the chip does Basic Access Control. Where it does neither this nor PACE, everybody may read it.
  public var requiresBasicAccessControl: Bool
  /// The most data bytes of one response; 256 for a chip without extended length.
  public var responseLimit: Int
  /// What the chip answers to commands that concern only optional parts.
  public var refusals = Refusals()
  /// The entries of EF.CardAccess; empty for a chip without PACE.
  public var pace: [PACEOffer] = []
  /// The card access number, printed on the data page; nil where the document has none.
  public var cardAccessNumber: String?
  /// How often wrong passwords are taken; the others are taken for ever.
  public var tries: [CardPassword: CardPassword.Tries] = [:]
  /// The static keys of Chip Authentication; empty for a chip without.
  public var chipAuthentication: [ChipAuthenticationOffer] = []
  public var activeAuthentication: ActiveAuthenticationOffer?
  /// Whether DG3 and DG4 open after Terminal Authentication; otherwise they never do.
  public var doesTerminalAuthentication = false
  /// Whether the answer to reset announces command chaining. It is taken in any case.
  public var announcesChaining = false
  /// Four digits, `aabb`.
  public var ldsVersion = "0108"
  /// Whether the document is a card with a zone of three lines.
  public var isCard = false
  /// What is wrong with the chip; nil for a sound one.
  public var fault: ChipFault?
  /// How long each command takes, beyond the computation.
  public var latency = Duration.zero

  /// Optional things that a chip may refuse in odd ways; nil leaves the standard answer.
  public struct Refusals: Sendable, Equatable {
    /// Status of SELECT MF.
    public var masterFile: UInt16?
    /// Status of anything that concerns EF.CardAccess.
    public var cardAccess: UInt16?
    /// Status of EF.COM, sent without secure messaging.
    public var plainCommonData: UInt16?
    /// Status of every READ BINARY with a short file identifier.
    public var shortFileIdentifiers: UInt16?
    /// Status of READ BINARY at an offset of a file that a short file identifier has named and SELECT has not.
    public var offsets: UInt16?
    /// Status of a command that is part of a chain.
    public var commandChaining: UInt16?

    public init() {}
  }

  public init(name: String, summary: String, requiresBasicAccessControl: Bool, responseLimit: Int) {
    self.name = name
    self.summary = summary
    self.requiresBasicAccessControl = requiresBasicAccessControl
    self.responseLimit = responseLimit
  }

  /// Whether the chip says that it takes extended length fields.
  public var announcesExtendedLength: Bool { responseLimit > 256 }

  /// Whether files open only after BAC or PACE.
  var hasAccessControl: Bool { requiresBasicAccessControl || !pace.isEmpty }

  public static let bac = ChipProfile(
    name: "bac", summary: "Basic Access Control, short APDUs (the default)", requiresBasicAccessControl: true,
    responseLimit: 256)
  public static let bacExtended = ChipProfile(
    name: "bac-extended", summary: "Basic Access Control, extended length", requiresBasicAccessControl: true,
    responseLimit: ChipProfile.largestResponse)
  public static let open = ChipProfile(
    name: "open", summary: "no access control, short APDUs", requiresBasicAccessControl: false, responseLimit: 256)

  /// What vpcd's two-byte length can carry beside the status word.
  static let largestResponse = 65_533

  /// Every profile that can be asked for by name.
  public static let all: [ChipProfile] = [.bac, .bacExtended, .open] + documents + [.mechanisms] + faulty

  public init?(named name: String) {
    guard let profile = Self.all.first(where: { $0.name == name }) else { return nil }
    self = profile
  }
}
