import FleetLab
import Foundation
import TesseraNATS
import TesseraPassport
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("An inspector whose clock is wrong", .enabled(if: LoadServers.isEnabled))
  struct InspectorClockTests {
    private static let wrongTimes = [-LabClock.year, LabClock.year]

    /// An inspector that reaches its server through a proxy.
    private static func inspector(
      _ lab: FleetLab, _ proxy: ClockProxy, interval: Duration
    ) async throws -> ObservedInspector {
      var settings = LabClock().settings
      (settings.interval, settings.repetition) = (interval, .milliseconds(20))
      var configuration = lab.servers.configuration("inspector")
      configuration.servers = [NATSServerAddress(host: "127.0.0.1", port: proxy.port, isTLS: false)]
      return try ObservedInspector(
        try await NATSConnection.connect(configuration), trust: LabTrust(nil), recorder: LabRecorder(), clock: settings)
    }

    private static func desk(_ lab: FleetLab, _ name: String = "desk-1") async throws -> MessageDesk {
      MessageDesk(try await lab.connect(name), try #require(DeskName(name)))
    }

    @Test("does not start", arguments: wrongTimes + [-330, 330])
    func start(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let inspector = try ObservedInspector(
        try await lab.connect("inspector"), trust: LabTrust(nil), recorder: LabRecorder(),
        clock: LabClock(offset).settings)
      await #expect(throws: FleetError(.clockDiffers)) {
        try await inspector.run { Issue.record("It has started.") }
      }
      let difference = try #require(inspector.inspector.figures.clockDifference)
      #expect(abs(Double(difference) - offset) < 60)
      let lines = inspector.log.all.filter { $0.hasPrefix("error: The clocks") }
      #expect(
        lines.count == 1
          && lines.allSatisfy { $0.contains("NTP") && $0.contains(" secondsAhead=\(offset < 0 ? "-" : "")") })
      await lab.stop()
    }

    @Test("starts if it differs a little", arguments: [-270.0, 0, 270])
    func tolerance(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let inspector = try ObservedInspector(
        try await lab.connect("inspector"), trust: LabTrust(nil), recorder: LabRecorder(),
        clock: LabClock(offset).settings)
      try await inspector.run { _ = try await Self.desk(lab).begin() }
      #expect(inspector.log.all.filter { $0.hasPrefix("error") || $0.hasPrefix("warning") } == [])
      await lab.stop()
    }

    @Test("names the cause and the remedies, and lets the desk try another inspector")
    func error() {
      let error = FleetError(.clockDiffers)
      #expect(error.failure.kind == .serviceUnavailable && error.allowsRepetition)
      #expect(error.failure.cause.contains("clock") && error.failure.remedy?.contains("NTP") == true)
      #expect(error.failure.remedy?.contains("Nothing tells which") == true)
      #expect(error.failure.cause.contains("five minutes") && InspectorClock.tolerance == 300)
    }

    @Test("while it runs, refuses reads with a typed error until the clock is right again", arguments: wrongTimes)
    func jump(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let (clock, recorder) = (LabClock(), LabRecorder())
      let inspector = try ObservedInspector(
        try await lab.connect("inspector"), trust: LabTrust(document.trust), recorder: recorder, clock: clock.settings)
      try await inspector.run {
        let desk = try await Self.desk(lab)
        _ = try await desk.begin()
        clock.set(offset)
        for _ in 0..<2 {
          await #expect(throws: FleetError(.clockDiffers)) { try await desk.begin() }
        }
        #expect(inspector.metrics.errors("clockDiffers") == 2)
        #expect(inspector.log.count("error: The clocks") == 1)
        #expect(abs(Double(inspector.inspector.figures.clockDifference ?? 0) - offset) < 60)
        clock.set(0)
        let reading = try await lab.desk("desk-2").read(document.source, try LabDocument.request(), mode: .witnessed)
        #expect(reading.outcome == .genuine && reading.recorded)
        #expect(recorder.reads.map(\.readID) == [reading.readID])
        #expect(inspector.log.count("notice: The clocks of this machine and of its server agree again.") == 1)
      }
      await lab.stop()
    }

    @Test("judges no read that had begun, and its desk repeats it until the clock is right", arguments: wrongTimes)
    func underWay(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let spy = try await lab.spy()
      let document = try LabDocument(.bac)
      let (clock, recorder) = (LabClock(), LabRecorder())
      let inspector = try ObservedInspector(
        try await lab.connect("inspector"), trust: LabTrust(document.trust), recorder: recorder, clock: clock.settings)
      try await inspector.run {
        let source = document.source { channel in HookedChannel(channel, before: 30) { clock.set(offset) } }
        let desk = try await lab.desk("desk-1")
        async let read = desk.read(source, try LabDocument.request(), mode: .remote)
        try await spy.awaitMessage { String(decoding: $0, as: UTF8.self).contains(#""code":"clockDiffers""#) }
        #expect(recorder.reads.isEmpty)
        clock.set(0)
        let reading = try await read
        #expect(reading.attempts > 1 && reading.outcome == .genuine)
        #expect(recorder.reads.map(\.readID) == [reading.readID])
      }
      #expect(inspector.inspector.figures.reads["clockDiffers"] == 1)
      await lab.stop()
    }

    @Test("keeps the record of a read that it had judged", arguments: wrongTimes)
    func recordUnderWay(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let document = try LabDocument(.bac)
      let (clock, recorder) = (LabClock(), LabRecorder(.waits))
      let inspector = try ObservedInspector(
        try await lab.connect("inspector"), trust: LabTrust(document.trust), recorder: recorder, clock: clock.settings)
      try await inspector.run {
        let desk = try await lab.desk("desk-1")
        async let read = desk.read(document.source, try LabDocument.request(), mode: .witnessed)
        await recorder.awaitRead()
        clock.set(offset)
        let other = try await Self.desk(lab, "desk-2")
        await #expect(throws: FleetError(.clockDiffers)) { try await other.begin() }
        recorder.release()
        let reading = try await read
        #expect(reading.attempts == 1 && reading.outcome == .genuine && reading.recorded)
        #expect(recorder.reads.map(\.readID) == [reading.readID])
      }
      await lab.stop()
    }

    @Test("learns that the server's clock was wrong, and is right again", arguments: wrongTimes)
    func server(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let proxy = try ClockProxy(to: UInt16(lab.servers.addresses[0].port))
      let inspector = try await Self.inspector(lab, proxy, interval: .milliseconds(20))
      try await inspector.run {
        let desk = try await Self.desk(lab)
        _ = try await desk.begin()
        proxy.set(.time(offset))
        try await eventually { inspector.log.count("error: The clocks") == 1 }
        await #expect(throws: FleetError(.clockDiffers)) { try await desk.begin() }
        #expect(abs(Double(inspector.inspector.figures.clockDifference ?? 0) + offset) < 60)
        proxy.set(.time(0))
        try await eventually { inspector.log.count("agree again") == 1 }
        _ = try await desk.begin()
      }
      proxy.stop()
      await lab.stop()
    }

    @Test("does not believe the clock of another server", arguments: wrongTimes)
    func otherServer(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let proxy = try ClockProxy(to: UInt16(lab.servers.addresses[0].port), .other(offset))
      let inspector = try await Self.inspector(lab, proxy, interval: .seconds(3600))
      try await inspector.run {
        let difference = try #require(inspector.inspector.figures.clockDifference, "\(inspector.log.all)")
        #expect(abs(difference) < 60)
      }
      proxy.stop()
      await lab.stop()
    }

    @Test("that its server has not told soon asks again, and learns that it is wrong", arguments: wrongTimes)
    func lateAnswer(_ offset: Double) async throws {
      let lab = try await FleetLab.start()
      let proxy = try ClockProxy(to: UInt16(lab.servers.addresses[0].port), .absent)
      // Nothing else than the missing answer lets it ask again.
      let inspector = try await Self.inspector(lab, proxy, interval: .seconds(3600))
      try await inspector.run {
        #expect(inspector.inspector.figures.clockDifference == nil)
        #expect(inspector.log.count("warning: The server does not tell its time, so") == 1)
        proxy.set(.time(offset))
        try await eventually { inspector.log.count("error: The clocks") == 1 }
        #expect(inspector.log.count("notice: The server tells its time") == 1)
        proxy.set(.absent)
        try await eventually {
          inspector.log.count("warning: The server does not tell its time any more") == 1
        }
        // The last answer counts.
        let desk = try await Self.desk(lab)
        await #expect(throws: FleetError(.clockDiffers)) { try await desk.begin() }
      }
      proxy.stop()
      await lab.stop()
    }

    @Test("starts with a warning if the server does not tell its time")
    func unknown() async throws {
      let user = try LabUser()
      let servers = try await NATSServers.start(
        configuration: """
          authorization { users: [ { nkey: \(user.publicKey), permissions { publish { deny: ["$SYS.>"] } } } ] }
          """)
      var settings = LabClock(LabClock.year).settings
      settings.answer = .milliseconds(100)
      let inspector = try ObservedInspector(
        try await servers.connect("inspector", credentials: user.credentials), trust: LabTrust(nil),
        recorder: LabRecorder(), clock: settings)
      try await inspector.run {
        #expect(inspector.inspector.figures.clockDifference == nil)
        #expect(inspector.log.count("warning: The server does not tell its time") == 1)
      }
      await servers.stop()
    }
  }
}
