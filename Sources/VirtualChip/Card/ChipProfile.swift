/// How a software chip behaves towards a terminal.
public struct ChipProfile: Sendable, Equatable {
  /// The name at the command line.
  public let name: String
  /// One line for `tessera chip profiles`.
  public let summary: String
  /// Whether the data groups open only after Basic Access Control.
  public var requiresBasicAccessControl: Bool
  /// The most data bytes of one response; 256 for a chip without extended length.
  public var responseLimit: Int
  /// What the chip answers to commands that concern only optional parts.
  public var refusals = Refusals()

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

    public init() {}
  }

  public init(name: String, summary: String, requiresBasicAccessControl: Bool, responseLimit: Int) {
    self.name = name
    self.summary = summary
    self.requiresBasicAccessControl = requiresBasicAccessControl
    self.responseLimit = responseLimit
  }

  public static let bac = ChipProfile(
    name: "bac", summary: "Basic Access Control, short APDUs (the default)", requiresBasicAccessControl: true,
    responseLimit: 256)
  public static let bacExtended = ChipProfile(
    name: "bac-extended", summary: "Basic Access Control, extended length", requiresBasicAccessControl: true,
    responseLimit: 65_533)  // what vpcd's two-byte length can carry beside the status word
  public static let open = ChipProfile(
    name: "open", summary: "no access control, short APDUs", requiresBasicAccessControl: false, responseLimit: 256)

  /// Every profile that can be asked for by name.
  public static let all: [ChipProfile] = [.bac, .bacExtended, .open]

  public init?(named name: String) {
    guard let profile = Self.all.first(where: { $0.name == name }) else { return nil }
    self = profile
  }
}
