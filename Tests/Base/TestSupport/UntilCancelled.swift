/// Waits until its task is cancelled: for work that never ends by itself.
///
/// - Throws: `CancellationError`.
public func untilCancelled() async throws {
  let (never, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in never {}
  withExtendedLifetime(continuation) {}
  throw CancellationError()
}
