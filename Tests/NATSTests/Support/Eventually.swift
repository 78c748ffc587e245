import Testing

/// Waits until the condition is true; records an issue after two minutes.
func eventually(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while try await !condition() {
    guard ContinuousClock.now < end else {
      Issue.record(comment ?? "The condition did not become true.", sourceLocation: sourceLocation)
      return
    }
    try await Task.sleep(for: .milliseconds(10))
  }
}
