import Logging
import ServiceLifecycle
import TesseraThreads
import UnixSignals

/// Services that run until a signal.
package enum SignalledServices {
  /// Runs services until one of them ends, or until SIGTERM or SIGINT shuts them down gracefully.
  ///
  /// A `ServiceGroup` that listens itself does not say which signal it was. But a program that a terminal interrupts has
  /// to end by SIGINT, after its cleanup: only so the loop of a shell around it ends, too.
  ///
  /// - Returns: the first signal; nil if there was none.
  /// - Throws: the error of the service that failed.
  package static func run(_ services: [any ServiceLifecycle.Service]) async throws -> UnixSignal? {
    // Before the services start: a signal that comes earlier than its handler would end the process at once.
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
        logger: quiet))
    let first = Locked<UnixSignal?>(nil)
    // Listens until the end: later signals change nothing.
    let listening = Task {
      for await signal in signals {
        first.withLock { $0 = $0 ?? signal }
        await group.triggerGracefulShutdown()
      }
    }
    defer { listening.cancel() }
    try await group.run()
    return first.withLock { $0 }
  }

  /// The log of the service group is for developers only.
  private static var quiet: Logger { Logger(label: "tessera.lifecycle") { _ in SwiftLogNoOpLogHandler() } }
}
