/// Waits for work that may get stuck in a driver for ever, and leaves it behind when it has.
///
/// libnfc waits without a limit, and deaf to aborts, for the rest of an answer to a command that itself has none
/// (pn532_uart.c, `pn532_uart_receive`): half an answer would hold up its caller for good. PC/SC waits without a limit for
/// the end of another program's transaction.
struct AbandonableWork<Value: Sendable>: Sendable {
  /// How long the work may take; nil for as long as it wants.
  var limit: Duration?
  /// How long it may take to end after it was cancelled, or after the limit.
  var patience: Duration
  /// Is called when the work is left behind, before anybody sees that.
  var onAbandon: @Sendable () -> Void
  /// Takes what the work brings when nobody waits for it any more.
  var onLate: @Sendable (Value) async -> Void

  /// - Throws: what the work throws; `stuck` where it is left behind after the limit; `CancellationError` where that is
  ///   after a cancellation.
  func value(
    orThrow stuck: @autoclosure @escaping @Sendable () -> any Error,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let outcome = FirstOutcome<Value>()
    let work = Task {
      let result: Result<Value, any Error>
      do {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      if !outcome.settle(result), case .success(let value) = result { await onLate(value) }
    }
    let timer = limit.map { limit in
      Task {
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        work.cancel()
        await abandon(outcome, throwing: stuck())
      }
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await outcome.value
    } onCancel: {
      work.cancel()
      Task { await abandon(outcome, throwing: CancellationError()) }
    }
  }

  private func abandon(_ outcome: FirstOutcome<Value>, throwing error: any Error) async {
    guard !outcome.isSettled, (try? await Task.sleep(for: patience)) != nil else { return }
    outcome.settle(.failure(error), onAbandon)
  }
}
