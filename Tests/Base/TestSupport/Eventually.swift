import TesseraThreads

/// What a test waits for did not happen.
public struct WaitedInVain: Error, CustomStringConvertible {
  public let description: String

  public init(_ what: String, fileID: String, line: Int) {
    description = "\(what) did not happen in time, at \(fileID):\(line)"
  }
}

/// Waits until the condition is true, by looking again and again: for what tells nobody that it happened, such as the
/// state of another process. The only such loop of the tests.
///
/// - Parameters:
///   - what: What is awaited, for the error.
///   - limit: Longer than a slow machine needs.
///   - pause: The time between two looks.
/// - Throws: `WaitedInVain`; what the condition throws; `CancellationError`.
public func eventually(
  _ what: String = "The awaited condition", within limit: Duration = .seconds(600),
  every pause: Duration = .milliseconds(5), isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
  guard try await isTrue(within: limit, every: pause, condition) else {
    throw WaitedInVain(what, fileID: fileID, line: line)
  }
}

/// Whether the condition becomes true within the time limit. See `eventually`, which throws otherwise.
public func isTrue(
  within limit: Duration = .seconds(600), every pause: Duration = .milliseconds(5),
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < end else { return false }
    try await Task.sleep(for: pause)
  }
  return true
}
