import TesseraSmartCard

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
