import Foundation
import TesseraCore
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge
@testable import TesseraFingerprint
@testable import TesseraLinuxProviders

extension RealPrograms {
  /// A page is refused while the desktop hides its notification.
  @Suite("Do not disturb", .serialized)
  struct DoNotDisturbTests {
    private static let page = Caller.web(origin: "https://a.example")
    private static let dunst = "org.dunstproject.cmd0"

    @Test("a paused dunst refuses a page before the reader is claimed, but no local program")
    func paused() async throws {
      let matches = Array(repeating: "verify-match!", count: 3).joined(separator: ",")
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none", signals: matches), .dunst())
      let provider = FprintdBiometricProvider(lab, makePrompt: { DesktopNotification(address: lab.bus) })
      try await provider.authenticate(reason: "r", for: Self.page)
      #expect(lab.calls.count { $0 == "Claim" } == 1)
      try await lab.setNotifications(Self.dunst, "paused", true)
      for _ in 0..<2 {
        // Nothing was shown, so there is no pause.
        await #expect(throws: PresenceError.hidden) { try await provider.authenticate(reason: "r", for: Self.page) }
      }
      #expect(lab.calls.count { $0 == "Claim" } == 1)
      // It is a state of the moment: an entry can be guarded meanwhile.
      #expect(await provider.isAvailable(for: Self.page))
      try await provider.authenticate(reason: "r", for: .local)
      let (client, environment) = try await ProviderTests.client(provider, Self.page)
      let answer = try await client.ask("biometrics.authenticate", ["reason": "r"])
      #expect(answer["error"]?["code"] == "BIOMETRIC_ERROR")
      #expect(answer["error"]?["details"] == ["reason": "do_not_disturb"])
      await client.close()
      withExtendedLifetime(environment) {}
      let failure = PresenceError.hidden.failure
      #expect(failure.kind == .confirmationRefused && failure.remedy?.hasPrefix("Turn off do not disturb") == true)
      try await lab.setNotifications(Self.dunst, "paused", false)
      try await provider.authenticate(reason: "r", for: Self.page)
      #expect(lab.calls.count { $0 == "Claim" } == 3)
      #expect(await BlockingThreads.haveEnded())
    }

    /// A prompt that turns do not disturb on at its first text, or after it.
    private final class Turning: PresencePrompt {
      private let notification: DesktopNotification
      private let turn: @Sendable () async -> Void
      let withdrawals = Locked(0)

      init(_ lab: FingerprintLab, _ turn: @escaping @Sendable () async -> Void) {
        notification = DesktopNotification(address: lab.bus)
        self.turn = turn
      }
      func isPossible() async -> Bool { await notification.isPossible() }
      func requireVisible() async throws(PresenceError) { try await notification.requireVisible() }
      func show(_ text: PresenceText, _ progress: BiometricProgress) async -> Bool {
        await turn()
        return await notification.show(text, progress)
      }
      func withdraw() async {
        withdrawals.withLock { $0 += 1 }
        await notification.withdraw()
      }
    }

    @Test("do not disturb that begins with the notification refuses before a finger is awaited")
    func begins() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none"), .dunst())
      let prompt = Turning(lab) { try? await lab.setNotifications(Self.dunst, "paused", true) }
      let provider = FprintdBiometricProvider(lab, prompt: prompt)
      await #expect(throws: PresenceError.hidden) { try await provider.authenticate(reason: "r", for: Self.page) }
      #expect(!lab.calls.contains("VerifyStart") && lab.calls.contains("Release"))
      #expect(prompt.withdrawals.withLock { $0 } == 1)
    }

    @Test("do not disturb that begins while a finger is awaited refuses the finger")
    func meanwhile() async throws {
      let lab = try await FingerprintLab(.fprintd(), .dunst())
      try await lab.enrol()
      let waiting = Locked(false)
      let provider = FprintdBiometricProvider(lab, makePrompt: { DesktopNotification(address: lab.bus) })
      let request = Task {
        try await provider.authenticate(reason: "r", for: Self.page) { _ in waiting.withLock { $0 = true } }
      }
      try await eventually { waiting.withLock { $0 } }
      try await lab.setNotifications(Self.dunst, "paused", true)
      await lab.send("SCAN enrolled")
      await #expect(throws: PresenceError.hidden) { _ = try await request.value }
      try await ReaderTests.expectNothingLeft(lab)
    }

    @Test("a rule of the user that hides the notification refuses a page", arguments: [false, true])
    func rule(_ isHidden: Bool) async throws {
      let rule = isHidden ? "[hidden]\nmsg_urgency = critical\nskip_display = true\n" : ""
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none"), .dunst(rule))
      let provider = FprintdBiometricProvider(lab, makePrompt: { DesktopNotification(address: lab.bus) })
      if isHidden {
        await #expect(throws: PresenceError.hidden) { try await provider.authenticate(reason: "r", for: Self.page) }
        // It was sent, so there is a pause.
        await #expect(throws: PresenceError.paused(seconds: 5)) {
          try await provider.authenticate(reason: "r", for: Self.page)
        }
      } else {
        try await provider.authenticate(reason: "r", for: Self.page)
      }
      #expect(lab.calls.contains("VerifyStart") == !isHidden)
    }

    /// A stand-in for Plasma: python-dbusmock's service with Plasma's property.
    @Test("the property of Plasma refuses a page; a service without it, or with another value, does not")
    func plasma() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none"), .notifications)
      let notification = DesktopNotification(address: lab.bus)
      try await notification.requireVisible()
      try await lab.addToNotifications("Inhibited", true)
      await #expect(throws: PresenceError.hidden) { try await notification.requireVisible() }
      let provider = FprintdBiometricProvider(lab, makePrompt: { DesktopNotification(address: lab.bus) })
      await #expect(throws: PresenceError.hidden) { try await provider.authenticate(reason: "r", for: Self.page) }
      try await lab.setNotifications("org.freedesktop.Notifications", "Inhibited", false)
      try await provider.authenticate(reason: "r", for: Self.page)
      let nowhere = DesktopNotification(address: .at("unix:path=/proc/nonexistent"))
      await #expect(throws: PresenceError.noPrompt) { try await nowhere.requireVisible() }
    }
  }
}
