package import FoundationEssentials
package import Logging
import TesseraCore
package import TesseraHTTPClient

/// What the client uses of the system. Tests replace parts of it.
package struct OnboardingServices: Sendable {
  package var transport: any HTTPTransport
  package var environment: [String: String]
  package var system: SystemInfo
  package var now: @Sendable () -> Date
  /// Waits for a time before a further attempt.
  package var pause: @Sendable (Duration) async throws -> Void
  package var logger = Logger(label: "FCKOnboarding")

  package init(
    transport: any HTTPTransport, environment: [String: String], system: SystemInfo = .current,
    now: @escaping @Sendable () -> Date = { Date() },
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.transport = transport
    self.environment = environment
    self.system = system
    self.now = now
    self.pause = pause
  }

  /// Those of this system.
  package static func system() -> OnboardingServices {
    OnboardingServices(transport: HTTPSClient(), environment: ProcessInfo.processInfo.environment)
  }
}

/// Texts for the log. They have no key, no identifier and no answer of the user.
enum OnboardingLog {
  /// What happened.
  static func cause(_ error: any Error) -> String { Failure(error).cause }
}
