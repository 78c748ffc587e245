/// Holds a task until the test opens it.
final class Gate: Sendable {
  private let arrivals = AsyncStream<Void>.makeStream()
  private let opening = AsyncStream<Void>.makeStream()

  func wait() async {
    arrivals.continuation.yield()
    for await _ in opening.stream { return }
  }

  func arrival() async {
    for await _ in arrivals.stream { return }
  }

  func open() { opening.continuation.finish() }
}
