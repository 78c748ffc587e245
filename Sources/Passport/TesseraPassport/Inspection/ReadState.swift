import TesseraSmartCard

/// The state of one read, apart from the files.
package struct ReadState {
  package enum Access {
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

  package internal(set) var access = Access.none
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
  package var hasRepeatedChipAuthentication = false
  /// Whether Chip Authentication was performed again because the chip refused it, or its first answer was not protected.
  /// A chip may do so once by chance.
  package var hasAskedChipAgain = false
  var interruptions = Interruptions()
  /// Whether no file was read since Chip Authentication, after which some chips want the application to be selected
  /// again.
  var mayHaveLeftApplication = false
  /// Whether this chip has left it then.
  var leavesApplication = false
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
    mayHaveLeftApplication = false
  }
}

/// The sessions that the chip ended in the middle of a file. A read goes on in a new session, and ends if that does not help.
struct Interruptions {
  /// Where the last session ended.
  private var place: (file: ElementaryFile, bytes: Int)?
  private var countAtPlace = 0
  private var total = 0
  /// Whether the chip did not grant access again.
  private(set) var isFinal = false

  /// Bounds the time that a chip can take that ends each session.
  private static let most = 64
  private static let mostAtPlace = 2

  /// Records that the session ended over a file of which `bytes` bytes were received.
  ///
  /// - Returns: whether the file is tried again in a new session.
  mutating func record(_ file: ElementaryFile, bytes: Int) -> Bool {
    let isSamePlace = place.map { $0.file == file && $0.bytes >= bytes } ?? false
    place = (file, bytes)
    countAtPlace = isSamePlace ? countAtPlace + 1 : 1
    total += 1
    return !isFinal && total <= Self.most && countAtPlace < Self.mostAtPlace
  }

  /// Whether a file that the session did not reach is tried in a new one.
  var allowsNewSession: Bool { !isFinal && total <= Self.most }

  /// Records that the session ended over a probe, so that the next attempt differs from the last one.
  ///
  /// - Returns: whether the file is tried again.
  mutating func recordChange() -> Bool {
    countAtPlace = 0
    total += 1
    return !isFinal && total <= Self.most
  }

  mutating func giveUp() { isFinal = true }
}

/// Decides whether and how a read continues after the card was lost, and bounds how often it does.
struct Recovery {
  enum Action: Equatable {
    /// Power the card again: it was lost over a probe of this reader and is still on the reader.
    case powerCycle
    /// Wait until the document is placed on the reader again.
    case awaitDocument
    /// End the read.
    case giveUp
  }

  private var lossCount = 0
  /// Consecutive losses without a byte of a file in between.
  private var lossesWithoutProgress = 0
  private var bytesAtLastLoss = -1

  /// Far more losses than occur in practice. Bounds the read of a chip that stops answering again and again.
  private static let maximumLosses = 2000
  private static let maximumLossesWithoutProgress = 10

  /// Decides how to react to `error`. Counts the loss if the read must wait for the document.
  ///
  /// - Parameters:
  ///   - hasFailedProbe: whether the session was lost over a probe.
  ///   - received: bytes of files received so far.
  ///   - gracePeriod: how long the document may be absent.
  mutating func action(
    after error: CardError, hasFailedProbe: Bool, received: Int, gracePeriod: Duration
  ) -> Action {
    guard Self.isRecoverable(error) else { return .giveUp }
    if hasFailedProbe { return .powerCycle }
    guard gracePeriod > .zero else { return .giveUp }
    lossCount += 1
    lossesWithoutProgress = received > bytesAtLastLoss ? 0 : lossesWithoutProgress + 1
    bytesAtLastLoss = received
    let isBounded =
      lossCount <= Self.maximumLosses && lossesWithoutProgress < Self.maximumLossesWithoutProgress
    return isBounded ? .awaitDocument : .giveUp
  }

  /// Whether the card may return, or answer after it was powered again.
  private static func isRecoverable(_ error: CardError) -> Bool {
    switch error {
    case .cardRemoved, .cardReset, .transmission, .emptyResponse, .powerCycleNeeded: true
    default: false
    }
  }
}
