import Glibc
import Testing

/// Lets a test begin when the process has room for files that libnfc can wait for: it does so by select(2), which takes
/// descriptors up to 1023. Other suites that run at the same time may have hundreds of connections open.
struct LowDescriptors: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    while Self.next() > 900 { try await Task.sleep(for: .milliseconds(50)) }
    try await function()
  }

  /// What the next open file gets.
  private static func next() -> Int32 {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 { close(descriptor) }
    return descriptor
  }
}
