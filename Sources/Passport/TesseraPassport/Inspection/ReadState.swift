import TesseraSmartCard

/// The state of one read, apart from the files.
struct ReadState {
  enum Access {
    /// The application has never been open.
    case none
    /// The application is selected and open.
    case open
    /// The application was open before the session or the card was lost.
    case lost
  }

  enum ExtendedLengthProbe {
    case notSent
    /// The chip's answer does not show whether it supports extended length.
    case inconclusive
    case accepted
    case refused
  }

  var access = Access.none
  var recovery = Recovery()
  /// For a chip whose answer to reset does not announce extended length.
  var extendedLengthProbe = ExtendedLengthProbe.notSent
  /// The status word with which the chip refused to read EF.CardAccess by its short identifier.
  var cardAccessRefusal: StatusWord?
  /// The reason why PACE cannot be performed although the chip offers it, or may offer it.
  var paceProblem: PACEError?
  /// Whether the card lost power after it proved to be the original: it may be another one since.
  var isChipProofStale = false
  /// Whether Chip Authentication was started again in the other form of long commands.
  var hasRepeatedChipAuthentication = false
  /// Whether Chip Authentication was performed again because the chip refused it, or its first answer was not protected.
  /// A chip may do so once by chance.
  var hasAskedChipAgain = false
  var interruptions = Interruptions()
  /// Whether the card was lost over a command with extended length, of which the chip has answered none.
  var readerRefusesExtendedLength = false
  /// How often the card was lost over Active Authentication.
  var lossesOverActiveAuthentication = 0
  var terminalBinding = TerminalBinding()

  /// The values that Terminal Authentication signs, and those by which it selects its certificates.
  struct TerminalBinding {
    /// `ID_IC`.
    var chipIdentifier: [UInt8] = []
    /// This reader's compressed ephemeral key of the last key agreement; nil before there was one.
    var readerKey: [UInt8]?
    /// The certification authorities that the chip named during PACE.
    var authorities: [String] = []
  }

  /// Records that the session or the card was lost.
  mutating func recordLoss() {
    if access == .open { access = .lost }
  }
}
