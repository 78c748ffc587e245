internal import TesseraDBus
import TesseraThreads

/// One operation of the fingerprint service as blocking calls, on one thread. The end of this object ends its
/// connection, and with it every claim.
final class FprintdClient {
  private static let name = "net.reactivated.Fprint"
  private static let managerPath = "/net/reactivated/Fprint/Manager"
  private static let objectManagerPath = "/net/reactivated/Fprint"

  private let bus: BusConnection
  /// The unique name of the service: a service that was restarted does not know the operation.
  private let service: String
  private let limits: FingerprintReader.Limits
  private let deadline: ContinuousClock.Instant
  private let clock: any MonotonicClock
  private let interruption: BusInterruption
  private var reader: String?
  /// The names of the fingers that are enrolled at the reader.
  private var enrolled: [String] = []
  private var isClaimed = false
  private var isVerifying = false

  /// - Parameters:
  ///   - deadline: The end of the operation, except for the calls that release the reader.
  ///   - clock: Measures all time limits.
  /// - Throws: `FingerprintError.serviceUnavailable`, `.serviceFailed`.
  init(
    _ address: BusConnection.Address, _ limits: FingerprintReader.Limits, _ deadline: ContinuousClock.Instant,
    _ clock: any MonotonicClock, _ interruption: BusInterruption
  ) throws(FingerprintError) {
    self.limits = limits
    self.deadline = deadline
    self.clock = clock
    self.interruption = interruption
    do {
      bus = try BusConnection.open(address, clock: clock)
      let limit = max(.zero, min(limits.call, deadline - clock.now))
      service = try bus.activatedOwner(of: Self.name, within: limit, interruption: interruption)
    } catch {
      switch error {
      case .remote("org.freedesktop.DBus.Error.ServiceUnknown"): throw .serviceUnavailable
      // The service is installed: it must not look like a machine without a reader, where a password may answer.
      case .remote(let name): throw .serviceFailed(name)
      default: throw FingerprintError(error, in: "StartServiceByName")
      }
    }
  }

  // MARK: - The steps

  /// Chooses the reader with the most enrolled fingers of this user, as pam_fprintd(8) does.
  ///
  /// - Returns: The names of the fingers.
  /// - Throws: `FingerprintError.noReader`, `.noEnrolledFinger`.
  func find() throws(FingerprintError) -> [String] {
    let paths = try call(Self.managerPath, "Manager", "GetDevices") { reply throws(BusError) in
      try reply.readObjectPaths()
    }
    guard !paths.isEmpty else { throw .noReader }
    var best: [String] = []
    for path in paths {
      let fingers: [String]
      do {
        // The empty name is the user who calls.
        fingers = try deviceCall(path, "ListEnrolledFingers", "") { reply throws(BusError) in try reply.readStrings() }
      } catch .noEnrolledFinger {
        continue
      } catch .readerDisconnected where paths.count > 1 {
        continue
      }
      if fingers.count > best.count { (reader, best) = (path, fingers) }
    }
    guard !best.isEmpty else { throw .noEnrolledFinger }
    enrolled = best
    return best
  }

  /// Reserves the reader.
  ///
  /// - Throws: `FingerprintError.readerInUse`; `.noReader` before `find`.
  func claim() throws(FingerprintError) {
    guard let reader else { throw .noReader }
    // Also after a failed claim: the service may have executed it.
    isClaimed = true
    try deviceCall(reader, "Claim", "")
  }

  /// Waits for an enrolled finger.
  func verify(_ onEvent: (FingerprintEvent) -> Void) throws(FingerprintError) {
    guard let reader, isClaimed else { throw .noReader }
    do {
      try verify(at: reader, onEvent)
    } catch .readerFailed(let word) {
      // fprintd 1.94 reports a reader that was unplugged as an unknown error, and a protocol error of one that is there as
      // a disconnection.
      try checkRemoval(of: reader)
      throw .readerFailed(word)
    }
  }

  /// Releases a reader that has failed, and finds out whether it was unplugged. fprintd 1.94 answers the release first and
  /// removes an unplugged reader a moment later, so the service is asked for a second.
  ///
  /// - Throws: `FingerprintError.readerDisconnected` if the service removes the reader.
  private func checkRemoval(of reader: String) throws(FingerprintError) {
    let removals = try? bus.subscribe(
      to: "InterfacesRemoved", interface: "org.freedesktop.DBus.ObjectManager", path: Self.objectManagerPath,
      from: service)
    end()
    do {
      try checkPresence(of: reader)
      guard let removals else { return }
      // Counted, since a busy machine may let the second pass before the service has done anything.
      for _ in 0..<10 {
        do {
          _ = try bus.wait(for: removals, within: .milliseconds(100), interruption: interruption)
        } catch {
          guard case .timedOut = error else { return }
        }
        try checkPresence(of: reader)
      }
    } catch .timedOut {}
  }

  /// Stops a verification and releases the reader. Errors are ignored: the end of the connection ends everything.
  func end() {
    guard isClaimed, let reader else { return }
    isClaimed = false
    let end = clock.now + limits.cleanup
    if isVerifying { stop(reader, "VerifyStop", until: end) }
    isVerifying = false
    stop(reader, "Release", until: end)
  }

  private func stop(_ reader: String, _ method: String, until end: ContinuousClock.Instant) {
    guard let call = try? bus.methodCall(to: service, path: reader, interface: Self.name + ".Device", method: method)
    else { return }
    // Also after an interruption, which has ended the operation already. Each call has a part of the time, so that one
    // without an answer does not prevent the other.
    _ = try? bus.call(call, within: max(.milliseconds(1), min(end - clock.now, limits.cleanup / 2)))
  }

  // MARK: - Verification

  private func verify(at reader: String, _ onEvent: (FingerprintEvent) -> Void) throws(FingerprintError) {
    let signals = try subscribe(to: "VerifyStatus", of: reader)
    var tries = try begin(at: reader)[...]
    while let finger = tries.popFirst() {
      onEvent(.waiting(finger))
      if try isMatch(at: reader, signals, finger, onEvent) { return }
      stop(reader, "VerifyStop", until: clock.now + limits.cleanup)
      isVerifying = false
      guard let next = tries.first else { break }
      onEvent(.noMatch(remainingTries: tries.count, next: next))
      try start(at: reader, next)
    }
    throw .noMatch
  }

  /// Starts the first try.
  ///
  /// - Returns: The finger of each try.
  private func begin(at reader: String) throws(FingerprintError) -> [Finger?] {
    let selections = try subscribe(to: "VerifyFingerSelected", of: reader)
    try start(at: reader, nil)
    let selected: String?
    do {
      // fprintd 1.94 sends it right after its reply. No finger is lost meanwhile: the results are kept.
      let limit = max(.zero, min(limits.selection, deadline - clock.now))
      selected = try bus.wait(for: selections, within: limit, interruption: interruption).readString()
    } catch .timedOut {
      selected = nil
    } catch {
      throw FingerprintError(error, in: "VerifyFingerSelected")
    }
    return FingerTurns(enrolled: enrolled, selected: selected, count: limits.tries).tries
  }

  /// - Parameter finger: Nil for all enrolled fingers, or for the one that the service selects.
  private func start(at reader: String, _ finger: Finger?) throws(FingerprintError) {
    isVerifying = true
    try deviceCall(reader, "VerifyStart", finger?.rawValue ?? "any")
  }

  private func subscribe(to signal: String, of reader: String) throws(FingerprintError) -> SignalSubscription {
    do {
      return try bus.subscribe(to: signal, interface: Self.name + ".Device", path: reader, from: service)
    } catch {
      throw FingerprintError(error, in: signal)
    }
  }

  /// The result of a try that has begun.
  ///
  /// - Returns: False for another finger than the expected ones.
  private func isMatch(
    at reader: String, _ signals: SignalSubscription, _ finger: Finger?, _ onEvent: (FingerprintEvent) -> Void
  ) throws(FingerprintError) -> Bool {
    while true {
      let (word, isDone) = try status(signals, at: reader)
      switch word {
      case "verify-match" where isDone: return true
      case "verify-no-match": return false
      case _ where isDone || word == "verify-disconnected": throw .readerFailed(word)
      default: onEvent(.retry(FingerprintEvent.Retry(rawValue: word) ?? .scan, finger))
      }
    }
  }

  /// The next result of the reader, and whether it ends the try.
  private func status(
    _ signals: SignalSubscription, at reader: String
  ) throws(FingerprintError) -> (word: String, isDone: Bool) {
    while true {
      let rest = deadline - clock.now
      guard rest > .zero else { throw .timedOut }
      do {
        // In parts: fprintd 1.94 tells nothing about a reader that was unplugged between two tries.
        let signal = try bus.wait(for: signals, within: min(rest, .seconds(1)), interruption: interruption)
        return (try signal.readString(), try signal.readBool())
      } catch .timedOut {
        do {
          try checkPresence(of: reader)
        } catch .serviceSilent where deadline <= clock.now {
          // The service had less time for its answer than its own limit.
          throw .timedOut
        }
      } catch {
        throw FingerprintError(error, in: "VerifyStatus")
      }
    }
  }

  /// - Throws: `FingerprintError.readerDisconnected` if the service no longer lists the reader.
  private func checkPresence(of reader: String) throws(FingerprintError) {
    let paths = try call(Self.managerPath, "Manager", "GetDevices") { reply throws(BusError) in
      try reply.readObjectPaths()
    }
    guard paths.contains(reader) else { throw .readerDisconnected }
  }

  // MARK: - Calls

  private func deviceCall(_ path: String, _ method: String, _ argument: String) throws(FingerprintError) {
    try deviceCall(path, method, argument) { _ throws(BusError) in }
  }

  private func deviceCall<Result>(
    _ path: String, _ method: String, _ argument: String, _ read: (BusMessage) throws(BusError) -> Result
  ) throws(FingerprintError) -> Result {
    try call(path, "Device", method, argument, read)
  }

  private func call<Result>(
    _ path: String, _ interface: String, _ method: String, _ argument: String? = nil,
    _ read: (BusMessage) throws(BusError) -> Result
  ) throws(FingerprintError) -> Result {
    let rest = deadline - clock.now
    guard rest > .zero else { throw .timedOut }
    do {
      let call = try bus.methodCall(
        to: service, path: path, interface: "\(Self.name).\(interface)", method: method)
      if let argument { try call.append(argument) }
      return try read(try bus.call(call, within: min(rest, limits.call), interruption: interruption))
    } catch {
      throw FingerprintError(error, in: method)
    }
  }
}
