import Synchronization
import TesseraSmartCard
import TesseraThreads

/// The channel to a connected PC/SC card.
///
/// PC/SC has no time limit for a response, and a driver may wait forever for a mute card. Nor has it one for
/// connecting, if the service waits for other programs. The limits here end the wait, not the driver's call: the
/// context's thread stays blocked until the service returns.
final class PCSCCardChannel: CardChannel {
  private let context: PCSCContext
  private let handle: Mutex<PCSCContext.Handle>
  private let watchdog: AnswerWatchdog

  init(context: PCSCContext, handle: PCSCContext.Handle, answerTimeout: Duration) {
    self.context = context
    self.handle = Mutex(handle)
    watchdog = AnswerWatchdog(limit: answerTimeout)
  }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    try Task.checkCancellation()
    guard !watchdog.isStuck else { throw CardError.mute }
    let handle = handle.withLock { $0 }
    let answer = FirstResult<[UInt8]>()
    watchdog.begin(answer)
    defer { watchdog.end(answer) }
    // Goes straight to the context's thread, which settles the response itself: each hop to another thread costs more
    // than the rest of an exchange.
    Task.immediate { [context] in await context.transmit(command, to: handle, settling: answer) }
    return try await answer.value
  }

  func awaitReturn(within time: Duration) async throws {
    guard !watchdog.isStuck else { throw CardError.mute }
    let lost = handle.withLock { $0 }
    let found = try await withTimeLimit(
      time + PCSCContext.connectionTime, gracePeriod: PCSCContext.gracePeriod,
      orThrow: CardError.readerBlocked(reader: lost.reader), onDetach: { [watchdog] in watchdog.setStuck() },
      onLateResult: { [context] in await context.disconnect($0) },
      { [context] in
        try await context.reconnect(lost, within: time)
      })
    handle.withLock { $0 = found }
  }

  /// Disconnects, unless the thread that would do it is blocked. If the service hangs, the wait ends after
  /// `PCSCContext.connectionTime`.
  func disconnect() async {
    watchdog.stop()
    guard !watchdog.isStuck else { return }
    let handle = handle.withLock { $0 }
    // In a separate task, since a cancelled task must disconnect as well.
    let end = Task { [context, watchdog] in
      try await withTimeLimit(
        PCSCContext.connectionTime, onDetach: { watchdog.setStuck() },
        {
          await context.disconnect(handle)
        })
    }
    _ = await end.result
  }
}
