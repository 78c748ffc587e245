import BridgeVectors
import Foundation
import TesseraBridge
import TesseraCore
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFingerprint
@testable import TesseraLinuxProviders

extension RealPrograms {
  /// The password of the account, with a scripted polkit.
  @Suite("Password instead of a finger", .serialized)
  struct PasswordTests {
    @Test("is off by default, has a switch for web content of its own, and is visible in the answer")
    func switches() async throws {
      let page = Caller.web(origin: "https://a.example")
      for fallback in PasswordFallback.allCases {
        let lab = try await FingerprintLab(.polkit(question: "ask", answer: "yes"))
        let provider = FprintdBiometricProvider(lab, fallback: fallback)
        for caller in [Caller.local, page] {
          let isOn = fallback == .everyone || fallback == .localPrograms && caller == .local
          let (client, environment) = try await ProviderTests.client(provider, caller)
          #expect(try await client.ask("biometrics.isAvailable")["data"] == .bool(isOn))
          #expect(try await client.ask("biometrics.getBiometryType")["data"] == "none")
          let answer = try await client.ask("biometrics.authenticate", ["reason": "r"])
          #expect(answer["data"] == (isOn ? "deviceCredential" : .null), "\(fallback) \(caller)")
          #expect(answer["error"]?["code"] == (isOn ? nil : "NOT_CONFIGURED"))
          if isOn { #expect(client.messages.contains { $0["data"]?["state"] == "password" }) }
          await client.close()
          withExtendedLifetime(environment) {}
        }
        // No details: polkit accepts them from the owner of the action only.
        #expect(
          lab.calls.allSatisfy { $0 == "check system-bus-name org.tessera.authenticate 0 0" || $0.hasSuffix(" 0 1") })
        #expect(lab.calls.count { $0.hasSuffix(" 1") } == [.nobody: 0, .localPrograms: 1, .everyone: 2][fallback])
        #expect(await BlockingThreads.haveEnded())
      }
    }

    static let table: [(question: String, answer: String, error: PolkitError?)] = [
      ("ask", "yes", nil), ("ask", "no-agent", .noAgent), ("ask", "dismissed", .refused), ("ask", "no", .refused),
      ("ask", "error", .forbidden), ("ask", "hang", .timedOut), ("ask", "die", .unavailable),
      ("ask", "wait", .timedOut),
      // An answer without a question says nothing about the user, for example that to root.
      ("yes", "yes", .asksNobody), ("no", "yes", .forbidden), ("unknown", "yes", .unknownAction),
      ("hang", "yes", .silent), ("die", "yes", .unavailable),
    ]

    @Test("answers of polkit", arguments: table.indices)
    func answers(_ index: Int) async throws {
      let row = Self.table[index]
      let lab = try await FingerprintLab(.polkit(question: row.question, answer: row.answer))
      let clock = ManualClock()
      let asking = Task { try await PolkitPassword(bus: lab.bus, clock: clock).ask() }
      if row.error == .silent {
        try await eventually { !lab.calls.isEmpty }
        try await clock.advance(whenAwaited: .seconds(3))
      } else if row.error == .timedOut {
        try await eventually { lab.calls.contains { $0.hasSuffix(" 1") } }
        try await clock.advance(whenAwaited: .seconds(25))
      }
      var error: PolkitError?
      do {
        try await asking.value
      } catch let thrown as PolkitError {
        error = thrown
      }
      #expect(error == row.error, "\(row)")
      if row.answer == "wait" { #expect(await lab.isCalled("cancel")) }
      if row.question != "ask" { #expect(!lab.calls.contains { $0.hasSuffix(" 1") }) }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("a cancelled request closes the dialog")
    func cancelled() async throws {
      let lab = try await FingerprintLab(.polkit(question: "ask", answer: "wait"))
      let password = PolkitPassword(bus: lab.bus)
      let request = Task { try await password.ask() }
      try await eventually { lab.calls.contains { $0.hasSuffix(" 1") } }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      #expect(await lab.isCalled("cancel"))
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("no password without a visible notification, and none where fprintd is installed and cannot be started")
    func withoutPrompt() async throws {
      let lab = try await FingerprintLab(.polkit(question: "ask", answer: "yes"))
      let provider = FprintdBiometricProvider(lab, fallback: .everyone, prompt: RecordingPrompt(isVisible: false))
      #expect(await !provider.isAvailable(for: .local))
      await #expect(throws: PresenceError.noPrompt) { try await provider.authenticate(reason: "r", for: .local) }
      #expect(!lab.calls.contains { $0.hasSuffix(" 1") })
      let broken = try await FingerprintLab(.broken, .polkit(question: "ask", answer: "yes"))
      let other = FprintdBiometricProvider(broken, fallback: .everyone)
      #expect(await !other.isAvailable(for: .local))
      await #expect {
        try await other.authenticate(reason: "r", for: .local)
      } throws: { error in
        guard case FingerprintError.serviceFailed(let name) = error else { return false }
        return name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
      }
      #expect(broken.calls.isEmpty)
    }

    @Test("no password takes the place of a finger while a reader is in use or fails")
    func busy() async throws {
      let lab = try await FingerprintLab(
        .scripted(method: "Claim", fault: "net.reactivated.Fprint.Error.AlreadyInUse"),
        .polkit(question: "ask", answer: "yes"))
      let provider = FprintdBiometricProvider(lab, fallback: .everyone)
      await #expect(throws: FingerprintError.readerInUse) {
        try await provider.authenticate(reason: "r", for: .local)
      }
      let enrolled = try await FingerprintLab(
        .scripted(method: "ListEnrolledFingers", fault: "net.reactivated.Fprint.Error.NoEnrolledPrints"),
        .polkit(question: "ask", answer: "yes"))
      let other = FprintdBiometricProvider(enrolled, fallback: .everyone)
      let method = try await other.authenticate(reason: "r", for: .local) { _ in }
      #expect(method == .deviceCredential)
    }
  }
}
