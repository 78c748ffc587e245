import FleetLab
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// The time of a read ends it, whatever it waits for.
  @Suite("The time limit of a desk", .enabled(if: LoadServers.isEnabled))
  struct DeskTimeTests {
    /// The limits of a desk that waits for nothing but the end of the read.
    private static func limits(_ overall: Duration) -> FleetLimits {
      var limits = FleetLimits()
      limits.overall = overall
      limits.ending = .milliseconds(200)
      (limits.begin, limits.answer, limits.silence, limits.remote) = (.hour, .hour, .hour, .hour)
      return limits
    }

    /// Longer and longer, until a read comes as far as a test wants on a slow machine.
    private static let times: [Duration] = [.seconds(1), .seconds(8), .seconds(64)]

    @Test(
      "a chip that never answers does not hold the read, and its inspector is told",
      arguments: FleetReadingMode.allCases)
    func muteChip(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder()
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder)
      var last: MuteChip?
      for time in Self.times where last?.silence.isSettled != true {
        let chip = MuteChip(document, before: 30)
        let desk = try await lab.desk("desk-1", Self.limits(time))
        await #expect(throws: FleetError(.timeLimit)) {
          try await desk.read(chip.source, try LabDocument.request(), mode: mode)
        }
        #expect(chip.endedSessions == 1)
        last = chip
      }
      let chip = try #require(last)
      #expect(chip.silence.isSettled)
      // Without the desk's word, the inspector would wait for this read, longer than it takes to stop.
      await inspector.stop()
      let figures = inspector.inspector.figures
      #expect(figures.underWay == 0)
      #expect(figures.reads[mode == .witnessed ? "abandoned" : "refused", default: 0] >= 1, "\(figures.reads)")
      #expect(recorder.reads.isEmpty)
      chip.release()
      await lab.stop()
    }

    @Test(
      "cancelling a read whose chip never answers ends it, and its inspector is told",
      arguments: FleetReadingMode.allCases)
    func cancelled(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: LabRecorder())
      let chip = MuteChip(document, before: 30)
      let desk = try await lab.desk("desk-1", Self.limits(.hour))
      let task = Task { try await desk.read(chip.source, try LabDocument.request(), mode: mode) }
      try await chip.silence.value
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(chip.endedSessions == 1)
      await inspector.stop()
      let figures = inspector.inspector.figures
      #expect(figures.underWay == 0)
      #expect(figures.reads == [mode == .witnessed ? "abandoned" : "refused": 1])
      chip.release()
      await lab.stop()
    }

    @Test("an inspector that never answers does not hold the read", arguments: FleetReadingMode.allCases)
    func silentInspector(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let connection = try await lab.connect("silent")
      let subscription = try connection.subscribe(FleetSubject.everyBegin, queue: FleetSubject.inspectors) { _ in }
      try await connection.flush(within: .seconds(60))
      let desk = try await lab.desk("desk-1", Self.limits(.seconds(1)))
      await #expect(throws: FleetError(.timeLimit)) {
        try await desk.read(document.source, try LabDocument.request(), mode: mode)
      }
      subscription.cancel()
      await lab.stop()
    }

    @Test("a read that ends in a later attempt names the reason of that attempt", arguments: FleetReadingMode.allCases)
    func reasonOfRepetition(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let (connection, beginnings) = (try await lab.connect("busy"), Locked(0))
      let busy = try FleetCoding.encode(FleetError(.busy))
      let subscription = try connection.subscribe(FleetSubject.everyBegin, queue: FleetSubject.inspectors) { message in
        let number = beginnings.withLock { beginnings in
          beginnings += 1
          return beginnings
        }
        if number == 1 { try? connection.respond(to: message, busy) }
      }
      try await connection.flush(within: .seconds(60))
      var last: FleetError?
      for time in Self.times where beginnings.withLock({ $0 }) < 2 {
        beginnings.withLock { $0 = 0 }
        let desk = try await lab.desk("desk-1", Self.limits(time))
        last = await #expect(throws: FleetError.self) {
          try await desk.read(document.source, try LabDocument.request(), mode: mode)
        }
      }
      #expect(last == FleetError(.busy))
      #expect(beginnings.withLock { $0 } == 2)
      subscription.cancel()
      await lab.stop()
    }

    @Test("an inspector that judges without end does not hold the read", arguments: FleetReadingMode.allCases)
    func waitingForVerdict(_ mode: FleetReadingMode) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let recorder = LabRecorder(.waits)
      let inspector = try await lab.inspector(trust: LabTrust(document.trust), recorder: recorder)
      let judged = FirstResult<Void>()
      Task {
        await recorder.awaitRead()
        judged.settle(.success(()))
      }
      for time in Self.times where !judged.isSettled {
        let desk = try await lab.desk("desk-1", Self.limits(time))
        await #expect(throws: FleetError(.timeLimit)) {
          try await desk.read(document.source, try LabDocument.request(), mode: mode)
        }
      }
      try await judged.value
      recorder.release()
      await inspector.stop()
      #expect(inspector.inspector.figures.underWay == 0)
      await lab.stop()
    }
  }
}

extension Duration {
  fileprivate static var hour: Duration { .seconds(3600) }
}
