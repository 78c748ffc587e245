import Synchronization

/// The channel to a connected card.
///
/// PC/SC has no time limit for an answer, and a driver may wait for ever on a card that has gone mute; nor has it one for
/// connecting, where the service waits for other programs. The limits kept here end the waiting, not the driver's call: the context's thread stays with that until the service gives it back.
final class PCSCCardChannel: CardChannel {
  private let context: PCSCContext
  private let handle: Mutex<PCSCContext.Handle>
  private let answerTimeout: Duration
  private let isStuck = Mutex(false)

  init(context: PCSCContext, handle: PCSCContext.Handle, answerTimeout: Duration) {
    self.context = context
    self.handle = Mutex(handle)
    self.answerTimeout = answerTimeout
  }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    guard !isStuck.withLock({ $0 }) else { throw CardError.mute }
    let handle = handle.withLock { $0 }
    return try await withCheckedThrowingContinuation { continuation in
      let first = First(continuation)
      let limit = Task { [weak self, answerTimeout] in
        try await Task.sleep(for: answerTimeout)
        first.resume(.failure(CardError.mute)) { self?.isStuck.withLock { $0 = true } }
      }
      Task {
        do {
          first.resume(.success(try await context.transmit(command, to: handle)))
        } catch {
          first.resume(.failure(error))
        }
        limit.cancel()
      }
    }
  }

  func awaitReturn(within time: Duration) async throws {
    guard !isStuck.withLock({ $0 }) else { throw CardError.mute }
    let lost = handle.withLock { $0 }
    // Weak, since stuck work lives on until the service gives it back.
    let work = AbandonableWork<PCSCContext.Handle>(
      limit: time + PCSCContext.connectionTime, patience: PCSCContext.patience,
      onAbandon: { [weak self] in self?.isStuck.withLock { $0 = true } },
      onLate: { [context] in await context.disconnect($0) })
    let found = try await work.value(orThrow: CardError.readerInUse(reader: lost.reader)) { [context] in
      try await context.reconnect(lost, within: time)
    }
    handle.withLock { $0 = found }
  }

  /// Gives the card back, unless the thread that would do it is lost, or gets lost in a service that hangs.
  func disconnect() async {
    guard !isStuck.withLock({ $0 }) else { return }
    let handle = handle.withLock { $0 }
    let work = AbandonableWork<Void>(
      limit: PCSCContext.connectionTime, patience: .zero,
      onAbandon: { [weak self] in self?.isStuck.withLock { $0 = true } }, onLate: { _ in })
    // A cancelled task gives back too.
    let end = Task { [context] in
      try await work.value(orThrow: CardError.serviceUnresponsive) { await context.disconnect(handle) }
    }
    _ = await end.result
  }
}

/// Resumes a continuation with the first of several results.
private final class First: Sendable {
  private let continuation: Mutex<CheckedContinuation<[UInt8], any Error>?>

  init(_ continuation: CheckedContinuation<[UInt8], any Error>) { self.continuation = Mutex(continuation) }

  /// - Parameter prepare: runs before anybody can see the result, and only for the first.
  func resume(_ result: Result<[UInt8], any Error>, prepare: () -> Void = {}) {
    let taken = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    guard let taken else { return }
    prepare()
    taken.resume(with: result)
  }
}
