import BridgeVectors
import CameraTestSupport
import Foundation
import TesseraCore
import TesseraPictures
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge
@testable import TesseraFingerprint
@testable import TesseraLinuxProviders

/// A prompt that records what it shows.
final class RecordingPrompt: PresencePrompt {
  private let isVisible: Bool
  let shown = Locked<[(PresenceText, BiometricProgress)]>([])
  let withdrawals = Locked(0)

  init(isVisible: Bool = true) { self.isVisible = isVisible }

  func isPossible() async -> Bool { isVisible }
  func requireVisible() async throws(PresenceError) {
    if !isVisible { throw .noPrompt }
  }
  func show(_ text: PresenceText, _ progress: BiometricProgress) async -> Bool {
    shown.withLock { $0.append((text, progress)) }
    return isVisible
  }
  func withdraw() async { withdrawals.withLock { $0 += 1 } }
}

extension FprintdBiometricProvider {
  /// The provider on the services of a lab. Not even a busy machine reaches the time limits, and a pause has no end.
  ///
  /// - Parameter screenLimit: The time limit of a call of logind.
  init(
    _ lab: FingerprintLab, fallback: PasswordFallback = .nobody, screenLimit: Duration = .seconds(3600),
    prompt: any PresencePrompt = RecordingPrompt()
  ) {
    self.init(lab, fallback: fallback, screenLimit: screenLimit, makePrompt: { prompt })
  }

  init(
    _ lab: FingerprintLab, fallback: PasswordFallback = .nobody, screenLimit: Duration = .seconds(3600),
    makePrompt: @escaping @Sendable () -> any PresencePrompt
  ) {
    var limits = FingerprintReader.Limits()
    (limits.call, limits.cleanup, limits.verification) = (.seconds(3600), .seconds(3600), .seconds(3600))
    let now = ContinuousClock.now
    self.init(
      reader: FingerprintReader(bus: lab.bus, limits: limits),
      password: PolkitPassword(bus: lab.bus, limit: .seconds(3600), callLimit: .seconds(3600)),
      screen: ScreenLock(bus: lab.bus, callLimit: screenLimit), fallback: fallback, now: { now },
      makePrompt: makePrompt)
  }
}

extension RealPrograms {
  @Suite("Biometric provider", .serialized)
  struct ProviderTests {
    static let page = Caller.web(origin: "https://a.example")

    static func client(
      _ biometric: any BiometricProvider, _ caller: Caller = .local, clock: any MonotonicClock = ContinuousClock()
    ) async throws -> (VectorClient, VectorEnvironment) {
      let environment = try VectorEnvironment(biometric: biometric, clock: clock)
      let connection = try #require(
        try await InProcessTransport(caller: caller).open(environment.router, isTrusted: true))
      return (VectorClient(connection), environment)
    }

    /// The vectors of the domain, each with the real provider on a machine of its kind.
    @Test("bridge vectors", arguments: BridgeVectors.cases.filter { $0.id.hasPrefix("biometrics.") })
    func vector(_ vector: Vector) async throws {
      let given = vector["given"]["biometric"]
      let lab: FingerprintLab
      switch (given["authenticate"].text, given["available"].flag || given["type"].text == "faceId") {
      case ("fail", _):
        lab = try await FingerprintLab(
          .scripted(method: "", fault: "none", signals: "verify-no-match!,verify-no-match!,verify-no-match!"))
      case ("succeed", _), (_, true): lab = try await FingerprintLab(.scripted(method: "", fault: "none"))
      default: lab = try await FingerprintLab(.fprintd(hasReader: false))
      }
      let mismatches = try await VectorCase(vector, biometric: FprintdBiometricProvider(lab)).mismatches(
        through: InProcessTransport())
      if vector.id == "biometrics.getBiometryType.faceId" {
        // Linux has no camera that unlocks; the reader is of the other type.
        #expect(mismatches == [#"$.data: expected "faceId", found "touchId""#])
      } else {
        #expect(mismatches == [])
      }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("fprintd itself answers true, with events, and says why it is asked")
    func real() async throws {
      let lab = try await FingerprintLab(.fprintd(), .notifications)
      let prompt = RecordingPrompt()
      let provider = FprintdBiometricProvider(lab, prompt: prompt)
      #expect(await !provider.isAvailable())
      #expect(await provider.getBiometryType() == "touchId")
      try await lab.enrol()
      #expect(await provider.isAvailable())
      let (client, environment) = try await Self.client(provider, Self.page)
      try await client.send(
        VectorClient.request("biometrics.authenticate", ["reason": "Pay\u{202E} 5 <b>EUR</b>"], id: "1"))
      try await eventually { !client.messages.isEmpty }
      await lab.send("RETRY 2")
      try await eventually { client.messages.count >= 2 }
      await lab.send("SCAN enrolled")
      let answer = try await client.answer(to: "1")
      #expect(answer["data"] == true)
      let events = client.messages.filter { $0["type"] == "event" }
      #expect(events.map { $0["event"] } == ["authenticateProgress", "authenticateProgress"])
      #expect(events.map { $0["data"]?["state"] } == ["waiting", "finger_not_centered"])
      // Web content does not learn which finger is enrolled. The user does.
      #expect(events.first?["data"]?["message"] == "Touch the fingerprint reader.")
      #expect(!client.messages.contains { $0.text.contains("index") })
      let shown = prompt.shown.withLock { $0 }
      let finger = "right index finger"
      #expect(
        shown.map(\.1) == [
          BiometricProgress(.waiting), BiometricProgress(.waiting, finger: finger),
          BiometricProgress(.fingerNotCentered, finger: finger),
        ])
      #expect(shown.allSatisfy { $0.0.title == "https://a.example wants to know that it is you" })
      #expect(shown.allSatisfy { $0.0.reason == "Pay  5 <b>EUR</b>" })
      #expect(prompt.withdrawals.withLock { $0 } == 1)
      await client.close()
      withExtendedLifetime(environment) {}
      try await ReaderTests.expectNothingLeft(lab)
    }

    @Test("the notification of the desktop shows caller and reason as plain text, and is withdrawn")
    func notification() async throws {
      let lab = try await FingerprintLab(.notifications)
      let monitor = try lab.start("/usr/bin/dbus-monitor", ["--address", lab.address, "type='method_call'"])
      #expect(await monitor.wait(within: 120) { $0.output.contains("member=NameAcquired") || !$0.output.isEmpty })
      let notification = DesktopNotification(address: lab.bus)
      #expect(await notification.isPossible())
      #expect(
        await notification.show(
          PresenceText(Self.page, "Pay <a href='x'>5</a> & \u{1B}[2J"), BiometricProgress(.waiting)))
      #expect(await notification.show(PresenceText(Self.page, "r"), BiometricProgress(.noMatch)))
      await notification.withdraw()
      #expect(await monitor.wait(within: 120) { $0.output.contains("CloseNotification") })
      let text = monitor.output
      #expect(text.contains("https://a.example wants to know that it is you"))
      let body = "Touch the fingerprint reader.\n“Pay &lt;a href='x'&gt;5&lt;/a&gt; &amp;  [2J”"
      #expect(text.contains(body) && !text.contains("<a href"))
      #expect(text.ranges(of: "member=Notify").count == 2 && text.contains("The finger was not recognised."))
      let nowhere = DesktopNotification(address: .at("unix:path=/proc/nonexistent"))
      #expect(await !nowhere.isPossible())
      #expect(await !nowhere.show(PresenceText(.local, "r"), BiometricProgress(.waiting)))
      await nowhere.withdraw()
    }

    @Test("without a prompt, a page is refused before the reader is claimed, and a program is not")
    func withoutPrompt() async throws {
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none"))
      let provider = FprintdBiometricProvider(lab, prompt: RecordingPrompt(isVisible: false))
      #expect(await !provider.isAvailable(for: Self.page))
      await #expect(throws: PresenceError.noPrompt) {
        try await provider.authenticate(reason: "r", for: Self.page)
      }
      #expect(!lab.calls.contains("Claim"))
      #expect(await provider.isAvailable(for: .local))
      try await provider.authenticate(reason: "r", for: .local)
      #expect(lab.calls.contains("Release"))
    }

    @Test("errors have the protocol's codes; web content learns nothing of the machine")
    func errors() async throws {
      let prefix = "net.reactivated.Fprint.Error."
      let cases: [(fault: String, method: String, code: String, reason: String)] = [
        (prefix + "NoEnrolledPrints", "ListEnrolledFingers", "NOT_ENROLLED", "not_enrolled"),
        (prefix + "NoSuchDevice", "GetDevices", "NOT_CONFIGURED", "no_reader"),
        (prefix + "AlreadyInUse", "Claim", "BIOMETRIC_ERROR", "in_use"),
        (prefix + "Internal", "VerifyStart", "BIOMETRIC_ERROR", "reader_failed"),
        ("die", "Claim", "BIOMETRIC_ERROR", "service_ended"),
      ]
      for row in cases {
        for caller in [Caller.local, Self.page] {
          let lab = try await FingerprintLab(.scripted(method: row.method, fault: row.fault))
          let (client, environment) = try await Self.client(FprintdBiometricProvider(lab), caller)
          let answer = try await client.ask("biometrics.authenticate", ["reason": "r"])
          #expect(answer["error"]?["code"] == .string(row.code), "\(row)")
          let reason = answer["error"]?["details"]?["reason"]
          #expect(reason == (caller == .local ? .string(row.reason) : nil), "\(row)")
          if row.code == "NOT_ENROLLED" {
            let command = answer["error"]?["details"]?["command"]
            #expect(command == (caller == .local ? .string(EnrolCommand.current) : nil))
          }
          if caller != .local { #expect(!answer.text.contains("fprintd")) }
          await client.close()
          withExtendedLifetime(environment) {}
        }
      }
    }

    @Test("a client that goes away, a dismissal of the prompt's task, releases the reader")
    func clientGone() async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let prompt = RecordingPrompt()
      let environment = try VectorEnvironment(biometric: FprintdBiometricProvider(lab, prompt: prompt))
      let request = try #require(BridgeRequest(text: VectorClient.request("biometrics.authenticate", id: "1")))
      let answers = Locked<[BridgeMessage]>([])
      // The service cancels the task of a request when its connection ends.
      let task = Task { await environment.router.route(request) { message in answers.withLock { $0.append(message) } } }
      try await eventually { !answers.withLock(\.isEmpty) }
      task.cancel()
      await task.value
      try await eventually { prompt.withdrawals.withLock { $0 } > 0 }
      #expect(prompt.withdrawals.withLock { $0 } == 1)
      try await ReaderTests.expectNothingLeft(lab)
    }

    @Test("after a refusal a page has to wait, and only one of its requests is open")
    func pauses() async throws {
      let signals = Array(repeating: "verify-no-match!", count: 3).joined(separator: ",")
      let lab = try await FingerprintLab(.scripted(method: "", fault: "none", signals: signals))
      let provider = FprintdBiometricProvider(lab)
      let (client, environment) = try await Self.client(provider, Self.page)
      await #expect(throws: FingerprintError.noMatch) { try await provider.authenticate(reason: "r", for: Self.page) }
      let answer = try await client.ask("biometrics.authenticate")
      #expect(answer["error"]?["code"] == "BIOMETRIC_ERROR")
      #expect(answer["error"]?["details"]?["reason"] == "paused")
      #expect(answer["error"]?["details"]?["retryAfter"] == 5)
      #expect(lab.calls.count { $0 == "Claim" } == 1)
      // Another origin does not wait; the scripted reader has no result left for it.
      let other = Task { try await provider.authenticate(reason: "r", for: .web(origin: "https://b.example")) }
      try await lab.waitForCall("Claim", count: 2)
      for caller in [Caller.web(origin: "https://b.example"), .web(origin: "https://c.example"), .local] {
        await #expect(throws: PresenceError.anotherRequest) {
          try await provider.authenticate(reason: "r", for: caller)
        }
      }
      other.cancel()
      await #expect(throws: CancellationError.self) { try await other.value }
      await client.close()
      withExtendedLifetime(environment) {}
    }

    @Test("getConfig says whether there is a reader with a finger, in time even if the service hangs")
    func capability() async throws {
      for (fault, expected) in [("none", true), (prefix("NoEnrolledPrints"), false), ("hang", false)] {
        let lab = try await FingerprintLab(.scripted(method: "ListEnrolledFingers", fault: fault))
        let clock = ManualClock()
        let (client, environment) = try await Self.client(FprintdBiometricProvider(lab), clock: clock)
        let isAnswered = Locked(false)
        let asking = Task {
          defer { isAnswered.withLock { $0 = true } }
          return try await client.ask("lifecycle.getConfig")
        }
        // The limit passes, whenever the provider is asked.
        if fault == "hang" {
          try await eventually {
            clock.advance(by: .milliseconds(500))
            return isAnswered.withLock { $0 }
          }
        }
        let answer = try await asking.value
        #expect(answer["data"]?["capabilities"]?["biometrics"] == .bool(expected), "\(fault)")
        await client.close()
        withExtendedLifetime(environment) {}
        // Ends the call that hangs, which has a limit of an hour.
        lab.stop()
        #expect(await BlockingThreads.haveEnded())
      }
    }

    private func prefix(_ name: String) -> String { "net.reactivated.Fprint.Error." + name }

    @Test("a killed service lets go of the reader", arguments: [SIGTERM, SIGKILL])
    func serviceKilled(_ signal: Int32) async throws {
      let lab = try await FingerprintLab(.fprintd(), .notifications)
      try await lab.enrol()
      let folder = try TemporaryFolder()
      let socket = folder.file("bridge.sock")
      let service = try lab.start(ProgramRun.tessera.path, ["serve", "--socket", socket], ["HOME": folder.url.path])
      #expect(await service.wait(within: 60) { $0.output.contains("ready") })
      let call = try lab.start(
        ProgramRun.tessera.path,
        ["call", "--socket", socket, "--events", "biometrics.authenticate", #"{"reason": "r"}"#])
      #expect(await call.wait(within: 60) { $0.errors.contains("waiting") }, "\(call.errors)")
      #expect(try await !lab.isReaderFree())
      service.send(signal: signal)
      let run = await call.finish(within: 60)
      #expect(run.status != 0)
      _ = await service.finish(within: 60)
      try await ReaderTests.expectNothingLeft(lab)
    }

    @Test("with a reader, a finger and a camera the service has every capability")
    func capabilities() async throws {
      let lab = try await FingerprintLab(.fprintd(), .notifications)
      try await lab.enrol()
      let camera = try VirtualCamera(showing: [try GrayPicture(width: 640, height: 480) { $0.update(repeating: 200) }])
      let folder = try TemporaryFolder()
      let socket = folder.file("bridge.sock")
      let service = try lab.start(
        ProgramRun.tessera.path, ["serve", "--virtual", "--socket", socket],
        camera.environment.merging(["HOME": folder.url.path]) { $1 })
      #expect(await service.wait(within: 60) { $0.output.contains("ready") })
      // An answer that comes too late for one request serves the next one.
      var capabilities: JSONValue?
      for _ in 0..<20 where capabilities?["biometrics"] != true || capabilities?["mrzCamera"] != true {
        let run = try await lab.start(ProgramRun.tessera.path, ["call", "--socket", socket, "lifecycle.getConfig"])
          .finish(within: 60)
        capabilities = try JSONValue(text: run.output)["capabilities"]
      }
      #expect(capabilities == ["nfc": true, "mrzCamera": true, "biometrics": true, "secureStorage": true])
      service.send(signal: SIGTERM)
      let ended = await service.finish(within: 60)
      #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test("a killed client releases the reader, and the service goes on")
    func clientKilled() async throws {
      let lab = try await FingerprintLab(.fprintd(), .notifications)
      try await lab.enrol()
      let folder = try TemporaryFolder()
      let socket = folder.file("bridge.sock")
      let service = try lab.start(ProgramRun.tessera.path, ["serve", "--socket", socket], ["HOME": folder.url.path])
      #expect(await service.wait(within: 60) { $0.output.contains("ready") })
      let arguments = ["call", "--socket", socket, "--events", "biometrics.authenticate", #"{"reason": "r"}"#]
      let call = try lab.start(ProgramRun.tessera.path, arguments)
      #expect(await call.wait(within: 60) { $0.errors.contains("waiting") }, "\(call.errors)")
      call.send(signal: SIGKILL)
      _ = await call.finish(within: 60)
      var isFree = false
      for _ in 0..<20 where !isFree { isFree = try await lab.isReaderFree() }
      #expect(isFree)
      let second = try lab.start(ProgramRun.tessera.path, arguments)
      #expect(await second.wait(within: 60) { $0.errors.contains("waiting") }, "\(second.errors)")
      await lab.send("SCAN enrolled")
      let run = await second.finish(within: 60)
      #expect(run.status == 0 && run.output == "true\n", "\(run.errors)")
      service.send(signal: SIGTERM)
      let ended = await service.finish(within: 60)
      #expect(ended.status == 0, "\(ended.errors)")
    }
  }
}
