internal import TesseraDBus
import TesseraThreads

/// One operation of the fingerprint service, on a thread of its own: find, claim, verify. `FingerprintReader.session`
/// makes it and ends it.
package actor FingerprintSession {
  private let bus: BusConnection.Address
  private let limits: FingerprintReader.Limits
  private let deadline: ContinuousClock.Instant
  private let clock: any MonotonicClock
  private let interruption: BusInterruption
  private var client: FprintdClient?
  private nonisolated let executor = ThreadExecutor(name: "fingerprint")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ bus: BusConnection.Address, _ limits: FingerprintReader.Limits, _ deadline: ContinuousClock.Instant,
    _ clock: any MonotonicClock, _ interruption: BusInterruption
  ) {
    self.bus = bus
    self.limits = limits
    self.deadline = deadline
    self.clock = clock
    self.interruption = interruption
  }

  deinit { executor.stop() }

  /// Chooses the reader with the most enrolled fingers of this person.
  ///
  /// - Returns: Their names.
  package func find() throws(FingerprintError) -> [String] { try open().find() }

  /// Reserves the reader that `find` chose: from now on no other program hears its fingers.
  package func claim() throws(FingerprintError) { try open().claim() }

  /// Returns when the person has shown an enrolled finger at the claimed reader.
  package func verify(_ onEvent: @Sendable (FingerprintEvent) -> Void) throws(FingerprintError) {
    try open().verify(onEvent)
  }

  /// Releases the reader and closes the connection.
  func end() {
    client?.end()
    client = nil
  }

  private func open() throws(FingerprintError) -> FprintdClient {
    if let client { return client }
    let opened = try FprintdClient(bus, limits, deadline, clock, interruption)
    client = opened
    return opened
  }
}
