import Foundation
import TesseraCore
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
    typealias Limits = FingerprintReader.Limits

    /// Not even a busy machine reaches these limits, except that of the cleanup, which fails no request.
    static var longLimits: Limits {
      var limits = Limits()
      (limits.call, limits.cleanup, limits.verification) = (.seconds(3600), .seconds(3), .seconds(3600))
      return limits
    }

    static func reader(_ lab: FingerprintLab) -> FingerprintReader {
      FingerprintReader(bus: lab.bus, limits: longLimits)
    }

    /// The error of a verification by a new lab.
    ///
    /// - Parameters:
    ///   - limit: The limit that ends the verification. A busy machine may reach it in an earlier call; the verification is
    ///     then repeated with twice the time.
    ///   - silent: The method of which the limit is reached; nil for none.
    static func error(
      of service: FingerprintLab.Service, endedBy limit: WritableKeyPath<Limits, Duration>?, silent: String? = nil
    ) async throws -> (lab: FingerprintLab, error: FingerprintError?) {
      var (limits, time) = (longLimits, Duration.milliseconds(1500))
      while true {
        if let limit { limits[keyPath: limit] = time }
        let lab = try await FingerprintLab(service)
        var error: FingerprintError?
        do {
          try await FingerprintReader(bus: lab.bus, limits: limits).verify()
        } catch let thrown as FingerprintError {
          error = thrown
        }
        guard limit != nil, time < .seconds(100), case .serviceSilent(let method) = error, method != silent else {
          return (lab, error)
        }
        time *= 2
      }
    }

    @Test("fault", arguments: FprintdFault.all)
    func fault(_ row: FprintdFault) async throws {
      // The finger was recognised before a hang of the last two, so that only the cleanup waits.
      let isSilent = row.fault == "hang" && row.outcome != nil
      let (lab, error) = try await Self.error(
        of: .scripted(method: row.method, fault: row.fault), endedBy: isSilent ? \.call : nil, silent: row.method)
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
      for _ in 0..<30_000 where !isReleased() { try await Task.sleep(for: .milliseconds(10)) }
      #expect(isReleased(), "\(lab.calls)")
      if lab.calls.contains("VerifyStart") { #expect(lab.calls.contains("VerifyStop"), "\(lab.calls)") }
    }

    @Test(
      "results of the reader",
      arguments: [
        ("verify-match!", nil), ("verify-retry-scan,verify-something-new,verify-match!", nil),
        ("verify-no-match!,verify-no-match!,verify-no-match!", .noMatch),
        ("verify-no-match!,verify-match!", nil), ("verify-disconnected!", .readerDisconnected),
        ("verify-unknown-error!", .readerFailed("verify-unknown-error")), ("odd!", .readerFailed("odd")),
        // A match that does not end the try is none.
        ("verify-match", .timedOut), ("", .timedOut),
      ] as [(String, FingerprintError?)])
    func results(_ signals: String, _ outcome: FingerprintError?) async throws {
      let (lab, error) = try await Self.error(
        of: .scripted(method: "", fault: "none", signals: signals),
        endedBy: outcome == .timedOut ? \.verification : nil)
      #expect(error == outcome)
      #expect(await BlockingThreads.haveEnded())
      try await Self.expectReleased(lab, "", "none")
    }

    @Test(
      "a failed reader was unplugged if the service removes it a moment after the release",
      arguments: ["signal", "silent"])
    func lateRemoval(_ fault: String) async throws {
      let lab = try await FingerprintLab(.scripted(method: "Removal", fault: fault, signals: "verify-unknown-error!"))
      await #expect(throws: FingerprintError.readerDisconnected) { try await Self.reader(lab).verify() }
      #expect(lab.calls.contains("removed"))
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("a service that dies while it waits for a finger")
    func death() async throws {
      let lab = try await FingerprintLab(.scripted(method: "VerifyStatus", fault: "die"))
      await #expect(throws: FingerprintError.serviceEnded) { try await Self.reader(lab).verify() }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("a signal of another program is no match")
    func forged() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none", signals: ""))
      let request = Task { try await Self.reader(lab).verify() }
      while !lab.calls.contains("VerifyStart") { try await Task.sleep(for: .milliseconds(5)) }
      try await lab.run(
        "/usr/bin/gdbus",
        [
          "emit", "--system", "-o", "/net/reactivated/Fprint/Device/0", "-s",
          "net.reactivated.Fprint.Device.VerifyStatus", "verify-match", "true",
        ])
      // A request that waits asks for its reader every second. The answer comes after the signal.
      let looks = lab.calls.count { $0 == "GetDevices" }
      for _ in 0..<20_000 where lab.calls.count(where: { $0 == "GetDevices" }) < looks + 2 {
        try await Task.sleep(for: .milliseconds(20))
      }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
    }

    @Test(
      "a request that is cancelled while a call hangs ends without waiting for it",
      arguments: FprintdFault.methods)
    func cancelled(_ method: String) async throws {
      let lab = try await FingerprintLab(.scripted(method: method, fault: "hang"))
      var limits = Self.longLimits
      limits.cleanup = .milliseconds(400)
      let request = Task { [limits] in try await FingerprintReader(bus: lab.bus, limits: limits).verify() }
      while !lab.calls.contains(method) { try await Task.sleep(for: .milliseconds(5)) }
      request.cancel()
      if ["VerifyStop", "Release"].contains(method) {
        // The finger was recognised before the cancellation.
        try await request.value
      } else {
        await #expect(throws: CancellationError.self) { try await request.value }
      }
      #expect(await BlockingThreads.haveEnded())
    }
  }
}
