#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How an inspector compares the clock of its machine with that of its server.
package struct ClockSettings: Sendable {
  /// The clock of this machine.
  package var now: @Sendable () -> Date = { .now }
  /// How long to wait for the server's answer.
  package var answer = Duration.seconds(10)
  /// Between two questions while the clocks agree.
  package var interval = Duration.seconds(60)
  /// Between two questions while they differ, and after the first question without an answer.
  package var repetition = Duration.seconds(5)

  package init() {}
}
