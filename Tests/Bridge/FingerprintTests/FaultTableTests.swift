import Foundation
import TesseraCore
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFingerprint

/// One row of the table of faults: a method of fprintd, what it does, and the error of the request.
struct FprintdFault: Sendable, CustomTestStringConvertible {
  let method: String
  let fault: String
  let outcome: FingerprintError?
  var testDescription: String { "\(method): \(fault)" }

  /// The methods that a verification calls, in order.
  static let methods = ["GetDevices", "ListEnrolledFingers", "Claim", "VerifyStart", "VerifyStop", "Release"]

  private static let prefix = "net.reactivated.Fprint.Error."
  /// Every error that fprintd 1.94 names, and those of the bus.
  private static let errors: [(String, FingerprintError)] =
    [
      "ClaimDevice", "Internal", "FingerAlreadyEnrolled", "NoActionInProgress", "InvalidFingername",
      "PrintsNotDeleted", "PrintsNotDeletedFromDevice",
    ].map { (prefix + $0, .readerFailed(prefix + $0)) }
    + [
      (prefix + "AlreadyInUse", .readerInUse), (prefix + "PermissionDenied", .permissionDenied),
      (prefix + "NoEnrolledPrints", .noEnrolledFinger), (prefix + "NoSuchDevice", .noReader),
      ("org.freedesktop.DBus.Error.AccessDenied", .permissionDenied),
      ("org.freedesktop.DBus.Error.NoReply", .serviceEnded),
      ("org.freedesktop.DBus.Error.UnknownObject", .readerDisconnected),
      ("org.example.Error.Unheard", .readerFailed("org.example.Error.Unheard")),
    ]

  static let all: [FprintdFault] = methods.flatMap { method -> [FprintdFault] in
    // The finger was recognised before these: their failure changes nothing.
    let isEnd = ["VerifyStop", "Release"].contains(method)
    func row(_ fault: String, _ outcome: FingerprintError) -> FprintdFault {
      FprintdFault(method: method, fault: fault, outcome: isEnd ? nil : outcome)
    }
    var rows = errors.map { row($0.0, $0.1) }
    rows.append(row("hang", .serviceSilent(method: method)))
    rows.append(row("die", .serviceEnded))
    if ["GetDevices", "ListEnrolledFingers"].contains(method) {
      rows.append(row("malformed", .readerFailed("malformed reply to \(method)")))
    }
    return rows
  }
}

extension RealPrograms {
  @Suite("Faults of fprintd", .serialized)
  struct FaultTableTests {
    /// The error of a verification by a new lab.
    ///
    /// - Parameter step: What the test does meanwhile: it moves the clock, which otherwise stands still.
    static func error(
      of service: FingerprintLab.Service, whileWaiting step: (FingerprintLab, ManualClock) async throws -> Void
    ) async throws -> (lab: FingerprintLab, error: FingerprintError?) {
      let (lab, clock) = (try await FingerprintLab(service), ManualClock())
      let request = Task { try await FingerprintReader(bus: lab.bus, clock: clock).verify() }
      try await step(lab, clock)
      do {
        try await request.value
        return (lab, nil)
      } catch let error as FingerprintError {
        return (lab, error)
      }
    }

    /// Lets the second pass in which a failed reader may turn out to be unplugged.
    static func passRemoval(_ clock: ManualClock) async throws {
      for _ in 0..<10 { try await clock.advance(whenAwaited: .milliseconds(100)) }
    }

    @Test("fault", arguments: FprintdFault.all)
    func fault(_ row: FprintdFault) async throws {
      let (lab, error) = try await Self.error(of: .scripted(method: row.method, fault: row.fault)) { lab, clock in
        if row.fault == "hang" {
          try await lab.waitForCall(row.method)
          // A call has eight seconds, one of the release has one: the finger was recognised before it.
          try await clock.advance(whenAwaited: row.outcome == nil ? .seconds(1) : .seconds(8))
        } else if row.method == "VerifyStart", case .readerFailed = row.outcome {
          try await Self.passRemoval(clock)
        }
      }
      #expect(error == row.outcome)
      #expect(await BlockingThreads.haveEnded())
      try await Self.expectReleased(lab, row.method, row.fault)
    }

    /// Each claim is followed by its release, or by the end of the connection, which releases as well.
    static func expectReleased(_ lab: FingerprintLab, _ method: String, _ fault: String) async throws {
      guard lab.calls.contains("Claim"), fault != "die" else { return }
      func isReleased() -> Bool {
        lab.calls.contains("Release") && (method != "Release" || lab.calls.contains("vanished"))
      }
      #expect(try await isTrue { isReleased() }, "\(lab.calls)")
      if lab.calls.contains("VerifyStart") { #expect(lab.calls.contains("VerifyStop"), "\(lab.calls)") }
    }

    @Test(
      "results of the reader",
      arguments: [
        ("verify-match!", nil), ("verify-retry-scan,verify-something-new,verify-match!", nil),
        ("verify-no-match!,verify-no-match!,verify-no-match!", .noMatch),
        ("verify-no-match!,verify-match!", nil),
        // The reader is still listed.
        ("verify-disconnected!", .readerFailed("verify-disconnected")),
        ("verify-disconnected", .readerFailed("verify-disconnected")),
        ("verify-unknown-error!", .readerFailed("verify-unknown-error")), ("odd!", .readerFailed("odd")),
        // A match that does not end the try is none.
        ("verify-match", .timedOut), ("", .timedOut),
      ] as [(String, FingerprintError?)])
    func results(_ signals: String, _ outcome: FingerprintError?) async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none", signals: signals))
      let clock = ManualClock()
      let isWaiting = Locked(false)
      let request = Task {
        try await FingerprintReader(bus: lab.bus, clock: clock).verify { _ in isWaiting.withLock { $0 = true } }
      }
      if outcome == .timedOut {
        try await eventually { isWaiting.withLock { $0 } }
        clock.advance(by: .seconds(25))
      } else if case .readerFailed = outcome {
        try await Self.passRemoval(clock)
      }
      if let outcome {
        await #expect(throws: outcome) { try await request.value }
      } else {
        try await request.value
      }
      #expect(await BlockingThreads.haveEnded())
      try await Self.expectReleased(lab, "", "none")
    }

    @Test(
      "a failed reader was unplugged if the service removes it a moment after the release",
      arguments: ["signal", "silent"], ["verify-unknown-error!", "verify-disconnected!"])
    func lateRemoval(_ fault: String, _ signals: String) async throws {
      let lab = try await FingerprintLab(.scripted(method: "Removal", fault: fault, signals: signals))
      let clock = ManualClock()
      let request = Task { try await FingerprintReader(bus: lab.bus, clock: clock).verify() }
      try await lab.waitForCall("removed")
      // Without a signal, the reader is looked for again after a while.
      if fault == "silent" { try await clock.advance(whenAwaited: .milliseconds(100)) }
      await #expect(throws: FingerprintError.readerDisconnected) { try await request.value }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("a service that dies while it waits for a finger")
    func death() async throws {
      let lab = try await FingerprintLab(.scripted(method: "VerifyStatus", fault: "die"))
      await #expect(throws: FingerprintError.serviceEnded) { try await ReaderTests.reader(lab).verify() }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("a service that does not say which finger it selected is waited for a second, and no finger is lost")
    func unselected() async throws {
      let lab = try await FingerprintLab(.scripted(method: "VerifyFingerSelected", fault: "hang"))
      let (clock, events) = (ManualClock(), Locked<[FingerprintEvent]>([]))
      let request = Task {
        try await FingerprintReader(bus: lab.bus, clock: clock).verify { event in events.withLock { $0.append(event) } }
      }
      try await clock.advance(whenAwaited: .seconds(1))
      try await request.value
      #expect(events.withLock { $0 } == [.waiting(nil)])
    }

    @Test("a signal of another program is no match")
    func forged() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none", signals: ""))
      let clock = ManualClock()
      let request = Task { try await FingerprintReader(bus: lab.bus, clock: clock).verify() }
      try await lab.waitForCall("VerifyStart")
      try await lab.run(
        "/usr/bin/gdbus",
        [
          "emit", "--system", "-o", "/net/reactivated/Fprint/Device/0", "-s",
          "net.reactivated.Fprint.Device.VerifyStatus", "verify-match", "true",
        ])
      // A request that waits asks for its reader after a second. The answer comes after the signal.
      let looks = lab.calls.count { $0 == "GetDevices" }
      for turn in 1...2 {
        try await clock.advance(whenAwaited: .seconds(1))
        try await lab.waitForCall("GetDevices", count: looks + turn)
      }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
    }

    @Test(
      "a request that is cancelled while a call hangs ends without waiting for it",
      arguments: FprintdFault.methods)
    func cancelled(_ method: String) async throws {
      let lab = try await FingerprintLab(.scripted(method: method, fault: "hang"))
      let clock = ManualClock()
      let request = Task { try await FingerprintReader(bus: lab.bus, clock: clock).verify() }
      try await lab.waitForCall(method)
      request.cancel()
      if ["VerifyStop", "Release"].contains(method) {
        // The finger was recognised before the cancellation.
        try await clock.advance(whenAwaited: .seconds(1))
        try await request.value
      } else {
        await #expect(throws: CancellationError.self) { try await request.value }
      }
      #expect(await BlockingThreads.haveEnded())
    }
  }
}
