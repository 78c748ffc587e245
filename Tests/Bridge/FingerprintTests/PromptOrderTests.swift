import Foundation
import TesseraCore
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge
@testable import TesseraFingerprint
@testable import TesseraLinuxProviders

/// A prompt that notes what has happened when it is shown.
private final class ObservingPrompt: PresencePrompt {
  private let look: @Sendable () async -> [String]
  private let hangsLater: Bool
  let callsAtShow = Locked<[[String]]>([])

  /// - Parameter hangsLater: Whether no later text appears.
  init(hangsLater: Bool = false, _ look: @escaping @Sendable () async -> [String] = { [] }) {
    self.hangsLater = hangsLater
    self.look = look
  }

  func isPossible() async -> Bool { true }
  func requireVisible() async throws(PresenceError) {}
  func show(_ text: PresenceText, _ progress: BiometricProgress) async -> Bool {
    let calls = await look()
    let isFirst = callsAtShow.withLock { all in
      all.append(calls)
      return all.count == 1
    }
    if hangsLater, !isFirst { try? await untilCancelled() }
    return true
  }
  func withdraw() async {}
}

extension RealPrograms {
  /// What the user sees, and which request a finger answers.
  @Suite("Order of claim, prompt and wait", .serialized)
  struct PromptOrderTests {
    private static let page = Caller.web(origin: "https://a.example")
    private static let inUse = "net.reactivated.Fprint.Error.AlreadyInUse"

    @Test("the prompt appears when the reader is claimed and does not wait for a finger yet")
    func order() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none"))
      let prompt = ObservingPrompt {
        // What follows the claim without waiting for the prompt would arrive in this time.
        try? await Task.sleep(for: .milliseconds(300))
        return lab.calls
      }
      try await FprintdBiometricProvider(lab, prompt: prompt).authenticate(reason: "r", for: Self.page)
      #expect(prompt.callsAtShow.withLock { $0 } == [["GetDevices", "ListEnrolledFingers", "Claim"]])
      #expect(lab.calls == ["GetDevices", "ListEnrolledFingers", "Claim", "VerifyStart", "VerifyStop", "Release"])
    }

    @Test("a request that cannot claim the reader shows nothing, and starts no pause")
    func claimFails() async throws {
      let lab = try await FingerprintLab(.scripted(method: "Claim", fault: Self.inUse))
      let prompt = RecordingPrompt()
      let provider = FprintdBiometricProvider(lab, prompt: prompt)
      for _ in 0..<2 {
        await #expect(throws: FingerprintError.readerInUse) {
          try await provider.authenticate(reason: "r", for: Self.page)
        }
      }
      #expect(prompt.shown.withLock { $0.isEmpty })
    }

    @Test("a page waits after every prompt that was shown and did not succeed, whatever the cause")
    func everyCause() async throws {
      for (method, fault) in [("VerifyStart", "net.reactivated.Fprint.Error.Internal"), ("VerifyStart", Self.inUse)] {
        let lab = try await FingerprintLab(.scripted(method: method, fault: fault))
        let prompt = RecordingPrompt()
        let provider = FprintdBiometricProvider(lab, prompt: prompt)
        await #expect(throws: FingerprintError.self) { try await provider.authenticate(reason: "r", for: Self.page) }
        let pause = await #expect(throws: PresenceError.self) {
          try await provider.authenticate(reason: "r", for: Self.page)
        }
        #expect(pause == .paused(seconds: 5))
        #expect(prompt.shown.withLock { $0.count } == 1)
      }
    }

    @Test("a request of another origin is refused while one is open, before it is shown")
    func oneAtATime() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none", signals: ""))
      let prompt = RecordingPrompt()
      let provider = FprintdBiometricProvider(lab, prompt: prompt)
      let first = Task { try await provider.authenticate(reason: "r", for: Self.page) }
      try await lab.waitForCall("VerifyStart")
      await #expect(throws: PresenceError.anotherRequest) {
        try await provider.authenticate(reason: "r", for: .web(origin: "https://bank.example"))
      }
      #expect(prompt.shown.withLock { $0.map(\.0.title) } == ["https://a.example wants to know that it is you"])
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
    }

    @Test("a request that still looks for the reader holds up no other caller, only the next of its own")
    func looking() async throws {
      let lab = try await FingerprintLab(.scripted(method: "ListEnrolledFingers", fault: "hang"))
      let provider = FprintdBiometricProvider(lab)
      let first = Task { try await provider.authenticate(reason: "r", for: Self.page) }
      try await lab.waitForCall("ListEnrolledFingers")
      await #expect(throws: PresenceError.anotherRequest) {
        try await provider.authenticate(reason: "r", for: Self.page)
      }
      let other = Task { try await provider.authenticate(reason: "r", for: .web(origin: "https://bank.example")) }
      try await lab.waitForCall("ListEnrolledFingers", count: 2)
      for request in [first, other] {
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
      }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("one time limit holds for all steps, also with a slow prompt and a silent service", arguments: [false, true])
    func deadline(_ isSilent: Bool) async throws {
      let lab = try await FingerprintLab(
        isSilent
          ? .scripted(method: "VerifyStart", fault: "hang") : .scripted(method: "", fault: "none", signals: ""))
      var limits = FingerprintReader.Limits()
      limits.call = .seconds(3600)
      let clock = ManualClock()
      // The slow prompt takes longer than the limit.
      let prompt = ObservingPrompt {
        if !isSilent { clock.advance(by: .seconds(26)) }
        return []
      }
      let provider = FprintdBiometricProvider(
        reader: FingerprintReader(bus: lab.bus, limits: limits, clock: clock), password: PolkitPassword(bus: lab.bus),
        screen: ScreenLock(bus: lab.bus, callLimit: .seconds(3600)), fallback: .nobody
      ) { prompt }
      let request = Task { try await provider.authenticate(reason: "r", for: Self.page) }
      if isSilent {
        try await lab.waitForCall("VerifyStart")
        try await clock.advance(whenAwaited: .seconds(25))
      }
      await #expect(throws: FingerprintError.self) { try await request.value }
      // With a limit of its own, the next step would begin after the prompt.
      #expect(isSilent || !lab.calls.contains("VerifyStart"))
    }

    @Test("the answer does not wait for progress that nobody has seen yet")
    func progress() async throws {
      let retries = ["verify-retry-scan", "verify-swipe-too-short", "verify-finger-not-centered", "verify-match!"]
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none", signals: retries.joined(separator: ",")))
      let prompt = ObservingPrompt(hangsLater: true)
      try await FprintdBiometricProvider(lab, prompt: prompt).authenticate(reason: "r", for: .local)
      // The first prompt, and at most the one that is on its way.
      #expect(prompt.callsAtShow.withLock { $0.count } <= 2)
    }

    @Test("a notification service that cannot show anything refuses a page, and leaves no thread")
    func noPrompt() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none"), .unableNotifications)
      for _ in 0..<3 {
        let notification = DesktopNotification(address: lab.bus)
        #expect(await notification.isPossible())
        let provider = FprintdBiometricProvider(lab, prompt: notification)
        await #expect(throws: PresenceError.noPrompt) {
          try await provider.authenticate(reason: "r", for: Self.page)
        }
      }
      #expect(lab.calls.count { $0 == "Release" } == 3 && !lab.calls.contains("VerifyStart"))
      #expect(await BlockingThreads.haveEnded())
    }
  }

  /// A finger that unlocks the screen answers no page.
  @Suite("Locked screen", .serialized)
  struct ScreenLockTests {
    private static let page = Caller.web(origin: "https://a.example")

    @Test("a page is refused before anything is claimed or shown; a program is not", arguments: ["locked", "hang"])
    func locked(_ state: String) async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none"), .logind(state))
      let prompt = RecordingPrompt()
      let (client, environment) = try await ProviderTests.client(
        FprintdBiometricProvider(
          lab, screenLimit: state == "hang" ? .seconds(1) : .seconds(3600), prompt: prompt), Self.page)
      let answer = try await client.ask("biometrics.authenticate", ["reason": "r"])
      #expect(answer["error"]?["code"] == "BIOMETRIC_ERROR")
      #expect(answer["error"]?["details"] == ["reason": "screen_locked"])
      #expect(prompt.shown.withLock { $0.isEmpty } && lab.calls.isEmpty)
      await client.close()
      withExtendedLifetime(environment) {}
      try await FprintdBiometricProvider(lab).authenticate(reason: "r", for: .local)
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("an unlocked session, that of another user, and one that has ended refuse nothing")
    func unlocked() async throws {
      for state in ["unlocked", "other", "gone"] {
        let lab = try await FingerprintLab(.scripted(method: "", fault: "none"), .logind(state))
        try await FprintdBiometricProvider(lab).authenticate(reason: "r", for: Self.page)
        #expect(lab.calls.contains("Release"))
        #expect(await BlockingThreads.haveEnded())
      }
    }

    @Test("a lock during the request ends it, and fprintd itself is free for the lock screen")
    func lockedMeanwhile() async throws {
      let lab = try await FingerprintLab(.fprintd(), .logind("unlocked"))
      try await lab.enrol()
      let prompt = RecordingPrompt()
      let provider = FprintdBiometricProvider(lab, prompt: prompt)
      let waiting = Locked(false)
      let request = Task {
        try await provider.authenticate(reason: "r", for: Self.page) { _ in waiting.withLock { $0 = true } }
      }
      try await eventually { waiting.withLock { $0 } }
      try await lab.lockScreen()
      await #expect(throws: PresenceError.screenLocked) { _ = try await request.value }
      #expect(prompt.withdrawals.withLock { $0 } == 1)
      try await ReaderTests.expectNothingLeft(lab)
    }
  }

  /// The queries of a page about the reader.
  @Suite("Shared queries", .serialized)
  struct SharedQueryTests {
    /// A provider that counts its queries, which wait for a signal.
    private final class Slow: BiometricProvider {
      let queries = Locked(0)
      let opening = FirstResult<Void>()
      func isAvailable() async -> Bool {
        queries.withLock { $0 += 1 }
        try? await opening.value
        return true
      }
      let typeQueries = Locked(0)
      func getBiometryType() async -> String {
        typeQueries.withLock { $0 += 1 }
        return "touchId"
      }
      func authenticate(reason: String, for caller: Caller) async throws {}
    }

    @Test("many requests of a caller share one query, whose answer counts for two seconds")
    func shared() async throws {
      let slow = Slow()
      let clock = ManualClock()
      let registry = SdkProviderRegistry(clock: clock)
      registry.register { $0.biometric = slow }
      let router = MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry))
      let answers = Locked<[JSONValue]>([])
      func ask(_ domain: BridgeDomain, _ method: String, _ caller: Caller) async {
        let request = BridgeRequest(
          id: "1", domain: domain, method: method, parameters: BridgeParameters(), caller: caller,
          connection: BridgeConnection())
        await router.route(request) { message in
          if case .response(_, _, .success(let value)) = message { answers.withLock { $0.append(value) } }
        }
      }
      let page = Caller.web(origin: "https://a.example")
      // A page that has only `lifecycle`, and gets its answers in time.
      try await withThrowingTaskGroup(of: Void.self) { group in
        // A group that fails waits for its tasks all the same.
        var isAnswered = false
        defer { if !isAnswered { slow.opening.settle(.success(())) } }
        for _ in 0..<40 { group.addTask { await ask(.lifecycle, "getConfig", page) } }
        // The limit of each passes, whenever its request begins.
        try await eventually {
          clock.advance(by: .milliseconds(500))
          return answers.withLock { $0.count } == 40
        }
        isAnswered = true
      }
      #expect(slow.queries.withLock { $0 } == 1)
      #expect(answers.withLock { $0.allSatisfy { $0["capabilities"]?["biometrics"] == false } })
      let begun = Locked(0)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<40 {
          group.addTask {
            begun.withLock { $0 += 1 }
            await ask(.biometrics, "isAvailable", page)
          }
        }
        defer { slow.opening.settle(.success(())) }
        try await eventually { begun.withLock { $0 } == 40 }
      }
      #expect(answers.withLock { $0.suffix(40).allSatisfy { $0 == true } && $0.count == 80 })
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<40 { group.addTask { await ask(.biometrics, "getBiometryType", page) } }
      }
      await ask(.lifecycle, "getConfig", page)
      #expect(answers.withLock { $0.last?["capabilities"]?["biometrics"] } == true)
      #expect(slow.queries.withLock { $0 } == 1)
      #expect(slow.typeQueries.withLock { $0 } == 1)
      // Another caller, another provider and another time are other questions.
      let earlier = slow.queries.withLock { $0 }
      await ask(.biometrics, "isAvailable", .local)
      #expect(slow.queries.withLock { $0 } == earlier + 1)
      registry.register { $0.biometric = slow }
      await ask(.biometrics, "isAvailable", page)
      #expect(slow.queries.withLock { $0 } == earlier + 2)
      clock.advance(by: DeviceCapability<Bool>.lifetime)
      await ask(.biometrics, "isAvailable", page)
      #expect(slow.queries.withLock { $0 } == earlier + 3)
    }
  }
}
