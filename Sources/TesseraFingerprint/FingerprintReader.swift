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
    /// The answer of the service to one call. Opening some readers takes seconds.
    package var call = Duration.seconds(8)
    /// The answer to a call that ends an operation.
    package var cleanup = Duration.seconds(2)
    /// The longest time of a verification. It ends before the clients of the bridge stop waiting (30 s).
    package var verification = Duration.seconds(25)
    /// The number of tries, the same as that of pam_fprintd(8).
    package var tries = 3

    package init() {}
  }

  private let bus: BusConnection.Address
  private let limits: Limits

  /// The readers on the system bus.
  public init() { self.init(bus: .system) }

  /// - Parameter bus: The bus of the service.
  package init(bus: BusConnection.Address, limits: Limits = Limits()) {
    self.bus = bus
    self.limits = limits
  }

  /// The names of this person's enrolled fingers at the reader that has the most, for example `right-index-finger`.
  ///
  /// - Throws: `FingerprintError.noEnrolledFinger`, `.noReader`, `.serviceUnavailable`.
  public func enrolledFingers() async throws -> [String] {
    try await perform { try $0.bestReader().fingers }
  }

  /// Returns when the person has shown an enrolled finger.
  ///
  /// - Parameter onEvent: Is called on another thread, in order.
  /// - Throws: `FingerprintError.noMatch` after three fingers that are not enrolled; `.timedOut`.
  public func verify(onEvent: @escaping @Sendable (FingerprintEvent) -> Void = { _ in }) async throws {
    try await perform { try $0.verify(onEvent) }
  }

  private func perform<Result: Sendable>(
    _ body: @escaping @Sendable (FprintdClient) throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let interruption: BusInterruption
    do {
      interruption = try BusInterruption()
    } catch {
      throw FingerprintError(error, in: "eventfd")
    }
    let thread = BlockingWork(name: "fingerprint")
    return try await withTaskCancellationHandler {
      do {
        return try await thread.run { [bus, limits] in try body(FprintdClient(bus, limits, interruption)) }
      } catch let error as FingerprintError {
        // The person or the program ended the operation, whatever else failed after that.
        if interruption.isInterrupted { throw CancellationError() }
        throw error
      }
    } onCancel: {
      interruption.interrupt()
    }
  }
}
