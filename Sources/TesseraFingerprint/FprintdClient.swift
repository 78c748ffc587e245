internal import TesseraDBus

/// One operation of the fingerprint service as blocking calls, on one thread. The end of this object ends its
/// connection, and with it every claim.
final class FprintdClient {
  private static let name = "net.reactivated.Fprint"
  private static let managerPath = "/net/reactivated/Fprint/Manager"

  private let bus: BusConnection
  /// The unique name of the service: a service that was restarted does not know the operation.
  private let service: String
  private let limits: FingerprintReader.Limits
  private let interruption: BusInterruption

  /// - Throws: `FingerprintError.serviceUnavailable`.
  init(
    _ address: BusConnection.Address, _ limits: FingerprintReader.Limits, _ interruption: BusInterruption
  ) throws(FingerprintError) {
    self.limits = limits
    self.interruption = interruption
    do {
      bus = try BusConnection.open(address)
      service = try bus.activatedOwner(of: Self.name, within: limits.call, interruption: interruption)
    } catch {
      switch error {
      // The bus has no such service, or could not start it.
      case .remote, .peerVanished: throw .serviceUnavailable
      default: throw FingerprintError(error, in: "StartServiceByName")
      }
    }
  }

  // MARK: - Readers

  /// A reader with enrolled fingers of this person.
  struct Reader {
    let path: String
    let fingers: [String]
  }

  /// The reader with the most enrolled fingers of this person, the choice of pam_fprintd(8).
  ///
  /// - Throws: `FingerprintError.noReader`, `.noEnrolledFinger`.
  func bestReader() throws(FingerprintError) -> Reader {
    let paths = try call(Self.managerPath, "Manager", "GetDevices") { reply throws(BusError) in
      try reply.readObjectPaths()
    }
    guard !paths.isEmpty else { throw .noReader }
    var best: Reader?
    for path in paths {
      let fingers: [String]
      do {
        // The empty name is the person who calls.
        fingers = try deviceCall(path, "ListEnrolledFingers", "") { reply throws(BusError) in try reply.readStrings() }
      } catch .noEnrolledFinger {
        continue
      } catch .readerDisconnected where paths.count > 1 {
        continue
      }
      if fingers.count > best?.fingers.count ?? 0 { best = Reader(path: path, fingers: fingers) }
    }
    guard let best else { throw .noEnrolledFinger }
    return best
  }

  // MARK: - Verification

  /// Claims a reader, waits for an enrolled finger and releases the reader in every case.
  func verify(_ onEvent: (FingerprintEvent) -> Void) throws(FingerprintError) {
    let reader = try bestReader().path
    do {
      try verify(at: reader, onEvent)
    } catch .readerFailed(let word) {
      // fprintd 1.94 reports a reader that was unplugged as an unknown error, and removes its object after the release.
      try checkPresence(of: reader)
      throw .readerFailed(word)
    }
  }

  private func verify(at reader: String, _ onEvent: (FingerprintEvent) -> Void) throws(FingerprintError) {
    let deadline = ContinuousClock.now + limits.verification
    // Also after a failed claim: the service may have executed it.
    defer { end(reader, "Release") }
    try deviceCall(reader, "Claim", "")
    let signals: SignalSubscription
    do {
      signals = try bus.subscribe(to: "VerifyStatus", interface: Self.name + ".Device", path: reader, from: service)
    } catch {
      throw FingerprintError(error, in: "VerifyStatus")
    }
    for remaining in (0..<limits.tries).reversed() {
      if try isMatch(at: reader, signals, deadline, onEvent) { return }
      if remaining > 0 { onEvent(.noMatch(remainingTries: remaining)) }
    }
    throw .noMatch
  }

  /// One try.
  ///
  /// - Returns: False for a finger that is not enrolled.
  private func isMatch(
    at reader: String, _ signals: SignalSubscription, _ deadline: ContinuousClock.Instant,
    _ onEvent: (FingerprintEvent) -> Void
  ) throws(FingerprintError) -> Bool {
    defer { end(reader, "VerifyStop") }
    try deviceCall(reader, "VerifyStart", "any")
    onEvent(.waiting)
    while true {
      let (word, isDone) = try status(signals, at: reader, deadline)
      switch word {
      case "verify-match" where isDone: return true
      case "verify-no-match": return false
      case "verify-disconnected": throw .readerDisconnected
      case _ where isDone: throw .readerFailed(word)
      default: onEvent(.retry(FingerprintEvent.Retry(rawValue: word) ?? .scan))
      }
    }
  }

  /// The next result of the reader, and whether it ends the try.
  private func status(
    _ signals: SignalSubscription, at reader: String, _ deadline: ContinuousClock.Instant
  ) throws(FingerprintError) -> (word: String, isDone: Bool) {
    while true {
      let rest = deadline - .now
      guard rest > .zero else { throw .timedOut }
      do {
        // In parts: fprintd 1.94 tells nothing about a reader that was unplugged between two tries.
        let signal = try bus.wait(for: signals, within: min(rest, .seconds(1)), interruption: interruption)
        return (try signal.readString(), try signal.readBool())
      } catch .timedOut {
        try checkPresence(of: reader)
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

  /// Ends a part of the operation. Errors are ignored: the end of the connection ends everything.
  private func end(_ reader: String, _ method: String) {
    guard let call = try? bus.methodCall(to: service, path: reader, interface: Self.name + ".Device", method: method)
    else { return }
    // Also after an interruption, which has ended the operation already.
    _ = try? bus.call(call, within: limits.cleanup)
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
    do {
      let call = try bus.methodCall(
        to: service, path: path, interface: "\(Self.name).\(interface)", method: method)
      if let argument { try call.append(argument) }
      return try read(try bus.call(call, within: limits.call, interruption: interruption))
    } catch {
      throw FingerprintError(error, in: method)
    }
  }
}
