/// Waits until the condition is true, by looking again and again while the main loop runs. The only such loop of the
/// scenarios.
///
/// - Returns: Whether it became true within the time limit.
@discardableResult
package func becomesTrue(
  within limit: Duration = .seconds(120), every pause: Duration = .milliseconds(10),
  _ condition: () async throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < end else { return false }
    try await letPass(pause)
  }
  return true
}

/// Lets time pass: for what must not happen, and for what nothing tells, such as the end of a drawing.
package func letPass(_ time: Duration) async throws { try await Task.sleep(for: time) }
