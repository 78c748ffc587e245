package import TesseraDBus
import TesseraThreads

/// The fingerprint readers of this machine, through fprintd on the system bus.
///
/// Each call has a connection and a thread of its own and leaves neither behind. fprintd releases a reader when the
/// connection that claimed it ends, so that not even a killed process keeps one.
///
/// All calls throw `FingerprintError`, and `CancellationError` if the task is cancelled.
///
/// Source: fprintd 1.94, net.reactivated.Fprint.Manager and net.reactivated.Fprint.Device.
public struct FingerprintReader: Sendable {
  /// Time limits.
  package struct Limits: Sendable {
    /// The answer of the service to one call, and the longest time of a query. Opening some readers takes seconds.
    package var call = Duration.seconds(8)
    /// The end of an operation: all calls that release the reader.
    package var cleanup = Duration.seconds(2)
    /// The longest time of a verification. It ends before the clients of the bridge stop waiting (30 s).
    package var verification = Duration.seconds(25)
    /// How long the service may take to say which finger it selected.
    package var selection = Duration.seconds(1)
    /// The number of tries, the same as that of pam_fprintd(8). On a reader that compares with one finger at a time, each
    /// enrolled finger has at least one.
    package var tries = 3

    package init() {}
  }

  private let bus: BusConnection.Address
  package let limits: Limits
  package let clock: any MonotonicClock

  /// The readers on the system bus.
  public init() { self.init(bus: .system) }

  /// - Parameters:
  ///   - bus: The bus of the service.
  ///   - clock: Measures the time limits.
  package init(
    bus: BusConnection.Address = .system, limits: Limits = Limits(), clock: any MonotonicClock = ContinuousClock()
  ) {
    self.bus = bus
    self.limits = limits
    self.clock = clock
  }

  /// The names of this user's enrolled fingers at the reader that has the most, for example `right-index-finger`.
  ///
  /// - Throws: `FingerprintError.noEnrolledFinger`, `.noReader`, `.serviceUnavailable`.
  public func enrolledFingers() async throws -> [String] {
    try await session(until: clock.now + limits.call) { try await $0.find() }
  }

  /// Returns when the user has shown an enrolled finger. A reader that cannot identify compares with one finger at each
  /// try, which the events name.
  ///
  /// - Parameter onEvent: Is called on another thread, in order.
  /// - Throws: `FingerprintError.noMatch` after the last try; `.timedOut`.
  public func verify(onEvent: @escaping @Sendable (FingerprintEvent) -> Void = { _ in }) async throws {
    try await session(until: clock.now + limits.verification) { session in
      _ = try await session.find()
      try await session.claim()
      try await session.verify(onEvent)
    }
  }

  /// Runs one operation, and releases the reader at its end in every case.
  ///
  /// - Parameters:
  ///   - deadline: The end of the operation. The release comes after it.
  ///   - body: The operation. A cancellation ends the calls of the session.
  package func session<Result: Sendable>(
    until deadline: ContinuousClock.Instant, _ body: (FingerprintSession) async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let interruption: BusInterruption
    do {
      interruption = try BusInterruption()
    } catch {
      throw FingerprintError(error, in: "eventfd")
    }
    let session = FingerprintSession(bus, limits, deadline, clock, interruption)
    return try await withTaskCancellationHandler {
      do {
        let result = try await body(session)
        await session.end()
        return result
      } catch {
        await session.end()
        // The user or the program ended the operation, whatever else failed after that.
        if error is FingerprintError, interruption.isInterrupted { throw CancellationError() }
        throw error
      }
    } onCancel: {
      interruption.interrupt()
    }
  }
}
