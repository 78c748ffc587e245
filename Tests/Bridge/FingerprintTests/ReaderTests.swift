import Foundation
import TesseraCore
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFingerprint

extension RealPrograms {
  /// The reader with fprintd itself and libfprint's virtual device.
  @Suite("Reader with fprintd", .serialized)
  struct ReaderTests {
    /// Records events, and answers each "waiting" with the next command to the virtual device.
    final class Hand: Sendable {
      let events = Locked<[FingerprintEvent]>([])
      private let commands: Locked<[String]>
      private let lab: FingerprintLab

      init(_ lab: FingerprintLab, _ commands: [String]) {
        self.lab = lab
        self.commands = Locked(commands)
      }

      func see(_ event: FingerprintEvent) {
        events.withLock { $0.append(event) }
        // One command after another: the next one follows the event of the last one.
        let next = commands.withLock { commands in
          if case .noMatch = event { return nil as String? }
          return commands.isEmpty ? nil : commands.removeFirst()
        }
        guard let next else { return }
        Task { await lab.send(next) }
      }
    }

    /// Not even a busy machine reaches its limits.
    static func reader(_ lab: FingerprintLab) -> FingerprintReader {
      var limits = FingerprintReader.Limits()
      (limits.call, limits.verification) = (.seconds(3600), .seconds(3600))
      return FingerprintReader(bus: lab.bus, limits: limits)
    }

    /// Nothing is claimed, and no thread is left.
    static func expectNothingLeft(_ lab: FingerprintLab) async throws {
      #expect(await BlockingThreads.haveEnded())
      #expect(try await lab.isReaderFree())
    }

    @Test("recognises the enrolled finger, after retries that are told as events")
    func match() async throws {
      let lab = try await FingerprintLab(.fprintd())
      await #expect(throws: FingerprintError.noEnrolledFinger) { try await Self.reader(lab).enrolledFingers() }
      await #expect(throws: FingerprintError.noEnrolledFinger) { try await Self.reader(lab).verify() }
      try await lab.enrol()
      #expect(try await Self.reader(lab).enrolledFingers() == ["right-index-finger"])
      // FP_DEVICE_RETRY_TOO_SHORT, _CENTER_FINGER, _REMOVE_FINGER, _GENERAL (fp-device.h)
      let hand = Hand(lab, ["RETRY 1", "RETRY 2", "RETRY 3", "RETRY 0", "SCAN enrolled"])
      try await Self.reader(lab).verify { hand.see($0) }
      #expect(
        hand.events.withLock { $0 } == [
          .waiting(.rightIndex), .retry(.swipeTooShort, .rightIndex), .retry(.notCentered, .rightIndex),
          .retry(.removeAndRetry, .rightIndex), .retry(.scan, .rightIndex),
        ])
      try await Self.expectNothingLeft(lab)
    }

    @Test("gives up after three other fingers, and recognises the right one at the last try")
    func tries() async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let wrong = Hand(lab, ["SCAN b", "SCAN c", "SCAN d", "SCAN enrolled"])
      await #expect(throws: FingerprintError.noMatch) { try await Self.reader(lab).verify { wrong.see($0) } }
      let all: [FingerprintEvent] = [
        .waiting(.rightIndex), .noMatch(remainingTries: 2, next: .rightIndex), .waiting(.rightIndex),
        .noMatch(remainingTries: 1, next: .rightIndex), .waiting(.rightIndex),
      ]
      #expect(wrong.events.withLock { $0 } == all)
      try await Self.expectNothingLeft(lab)
      let late = Hand(lab, ["SCAN b", "SCAN c", "SCAN enrolled"])
      try await Self.reader(lab).verify { late.see($0) }
      #expect(late.events.withLock { $0 } == all)
      try await Self.expectNothingLeft(lab)
    }

    @Test("a cancelled request, and one without a finger, release the reader")
    func ends() async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let hand = Hand(lab, [])
      let request = Task { try await Self.reader(lab).verify { hand.see($0) } }
      try await eventually { !hand.events.withLock(\.isEmpty) }
      #expect(try await !lab.isReaderFree())
      await #expect(throws: FingerprintError.readerInUse) { try await Self.reader(lab).verify() }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      try await Self.expectNothingLeft(lab)
      let (late, clock) = (Hand(lab, []), ManualClock())
      let waiting = Task { try await FingerprintReader(bus: lab.bus, clock: clock).verify { late.see($0) } }
      try await eventually { !late.events.withLock(\.isEmpty) }
      clock.advance(by: .seconds(25))
      await #expect(throws: FingerprintError.timedOut) { try await waiting.value }
      try await Self.expectNothingLeft(lab)
    }

    /// The moments are the waits of the request for the bus, the last of which may be that for the finger.
    @Test("a request that is cancelled at any moment leaves nothing", arguments: [0, 1, 2, 3, 4, 5, 6, 8, 10])
    func cancelledEarly(_ waits: Int) async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let (hand, clock) = (Hand(lab, []), ManualClock())
      let request = Task { try await FingerprintReader(bus: lab.bus, clock: clock).verify { hand.see($0) } }
      try await eventually(every: .microseconds(100)) {
        clock.waits.count >= waits || !hand.events.withLock(\.isEmpty)
      }
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      try await Self.expectNothingLeft(lab)
    }

    @Test("the claim of another session is an error of its own")
    func occupied() async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let other = try lab.start("/usr/bin/fprintd-verify", [])
      #expect(await other.wait(within: 120) { $0.output.contains("Verifying") })
      await #expect(throws: FingerprintError.readerInUse) { try await Self.reader(lab).verify() }
      #expect(other.isRunning)
      other.send(signal: SIGKILL)
      // fprintd hears of its end from the bus, a moment later.
      try await eventually { try await lab.isReaderFree() }
      try await Self.expectNothingLeft(lab)
    }

    @Test("a reader that is unplugged during the request is an error of its own")
    func unplugged() async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let hand = Hand(lab, ["UNPLUG"])
      await #expect(throws: FingerprintError.readerDisconnected) {
        try await Self.reader(lab).verify { hand.see($0) }
      }
      #expect(await BlockingThreads.haveEnded())
      await #expect(throws: FingerprintError.noReader) { try await Self.reader(lab).enrolledFingers() }
    }

    /// FP_DEVICE_ERROR_BUSY, _PROTO and _TOO_HOT of fp-device.h: fprintd calls the second one a disconnection.
    @Test(
      "a failure of a reader that is still there is an error with its word",
      arguments: [(4, "verify-unknown-error"), (5, "verify-disconnected"), (0x101, "verify-unknown-error")])
    func failed(_ number: Int, _ word: String) async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let hand = Hand(lab, ["ERROR \(number)"])
      await #expect(throws: FingerprintError.readerFailed(word)) {
        try await Self.reader(lab).verify { hand.see($0) }
      }
      let failure = FingerprintError.readerFailed(word).failure
      #expect(failure.cause == "The fingerprint reader failed." && failure.remedy?.hasPrefix("Try again.") == true)
      try await Self.expectNothingLeft(lab)
    }

    @Test("on a reader that cannot identify, each enrolled finger has its turn, and is named")
    func turns() async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol("right-index-finger", as: "a")
      try await lab.enrol("left-index-finger", as: "b")
      for (scans, fingers) in [
        (["a"], [Finger.rightIndex]), (["b", "b"], [.rightIndex, .leftIndex]),
        (["b", "a", "a"], [.rightIndex, .leftIndex, .rightIndex]),
      ] {
        let hand = Hand(lab, scans.map { "SCAN \($0)" })
        try await Self.reader(lab).verify { hand.see($0) }
        let events = hand.events.withLock { $0 }
        #expect(events.compactMap { if case .waiting(let finger) = $0 { finger } else { nil } } == fingers)
        let named = events.compactMap { if case .noMatch(_, let next) = $0 { next } else { nil } }
        #expect(named == Array(fingers.dropFirst()), "\(events)")
      }
      let other = Hand(lab, ["SCAN c", "SCAN c", "SCAN c"])
      await #expect(throws: FingerprintError.noMatch) { try await Self.reader(lab).verify { other.see($0) } }
      // More fingers than tries: the last one has its turn as well.
      try await lab.enrol("left-thumb", as: "d")
      try await lab.enrol("right-little-finger", as: "e")
      let names = try await Self.reader(lab).enrolledFingers()
      #expect(Set(names) == ["right-index-finger", "left-index-finger", "left-thumb", "right-little-finger"])
      let scans = ["right-index-finger": "a", "left-index-finger": "b", "left-thumb": "d", "right-little-finger": "e"]
      let last = try #require(names.last.flatMap { scans[$0] })
      let hand = Hand(lab, Array(repeating: "SCAN \(last)", count: 4))
      try await Self.reader(lab).verify { hand.see($0) }
      #expect(hand.events.withLock { $0.count { if case .waiting = $0 { true } else { false } } } == 4)
      try await Self.expectNothingLeft(lab)
    }

    @Test("a daemon that dies or hangs during the request ends it")
    func daemon() async throws {
      let lab = try await FingerprintLab(.fprintd())
      try await lab.enrol()
      let hand = Hand(lab, [])
      let request = Task { try await Self.reader(lab).verify { hand.see($0) } }
      try await eventually { !hand.events.withLock(\.isEmpty) }
      lab.killDaemon()
      await #expect(throws: FingerprintError.serviceEnded) { try await request.value }
      #expect(await BlockingThreads.haveEnded())
      await #expect(throws: FingerprintError.serviceUnavailable) { try await Self.reader(lab).verify() }

      let second = try await FingerprintLab(.fprintd())
      try await second.enrol()
      let (other, clock) = (Hand(second, []), ManualClock())
      let waiting = Task { try await FingerprintReader(bus: second.bus, clock: clock).verify { other.see($0) } }
      try await eventually { !other.events.withLock(\.isEmpty) }
      second.suspendDaemon()
      // After a second without a finger, the reader is looked for, which has eight. Each call of the release has one.
      for time in [1, 8, 1, 1] { try await clock.advance(whenAwaited: .seconds(time)) }
      await #expect(throws: FingerprintError.serviceSilent(method: "GetDevices")) { try await waiting.value }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("no bus, no service and no reader are told apart")
    func missing() async throws {
      let noBus = FingerprintReader(bus: .at("unix:path=/proc/nonexistent/bus"))
      await #expect(throws: FingerprintError.serviceUnavailable) { try await noBus.verify() }
      let empty = try await FingerprintLab()
      await #expect(throws: FingerprintError.serviceUnavailable) { try await Self.reader(empty).verify() }
      let broken = try await FingerprintLab(.broken)
      await #expect(throws: FingerprintError.serviceFailed("org.freedesktop.DBus.Error.Spawn.ChildExited")) {
        try await Self.reader(broken).verify()
      }
      let noReader = try await FingerprintLab(.fprintd(hasReader: false))
      await #expect(throws: FingerprintError.noReader) { try await Self.reader(noReader).verify() }
      #expect(await BlockingThreads.haveEnded())
    }

    @Test("the remedy names the enrol command of the desktop")
    func enrolCommand() {
      #expect(EnrolCommand.text(["XDG_CURRENT_DESKTOP": "ubuntu:GNOME"]) == "gnome-control-center user-accounts")
      #expect(EnrolCommand.text(["XDG_CURRENT_DESKTOP": "KDE"]) == "systemsettings kcm_users")
      #expect(EnrolCommand.text(["XDG_CURRENT_DESKTOP": "sway"]) == "fprintd-enroll")
      #expect(EnrolCommand.text([:]) == "fprintd-enroll")
      let failure = FingerprintError.noEnrolledFinger.failure
      #expect(failure.kind == .notEnrolled && failure.remedy?.contains(EnrolCommand.current) == true)
    }
  }
}
