import Foundation
import TesseraBridge
import TesseraCore
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// The program behind a server that tells another time: the difference is the same as with a wrong clock here.
  @Suite("tessera inspect and clocks", .enabled(if: ProgramFleet.isEnabled, "nats-server is not installed"))
  struct ProgramClockTests {
    /// 365 days and half a day, so that the seconds of an answer do not decide how many whole days these are.
    private static let wrongTime = 365.5 * 86_400

    private static func proxy(_ fleet: ProgramFleet, ahead seconds: Double) throws -> ClockProxy {
      try ClockProxy(to: #require(fleet.address.split(separator: ":").last.flatMap { UInt16($0) }), .time(seconds))
    }

    private static func arguments(_ fleet: ProgramFleet, _ proxy: ClockProxy) -> [String] {
      [
        "inspect", "--virtual", "--fleet", "nats://127.0.0.1:\(proxy.port)", "--fleet-seed",
        fleet.folder.file("fleet/inspector-i1.nk"),
      ]
    }

    @Test(
      "a clock that is wrong at the start ends the program with the cause and the remedy",
      arguments: [-wrongTime, wrongTime])
    func start(_ offset: Double) async throws {
      let fleet = try await ProgramFleet()
      let proxy = try Self.proxy(fleet, ahead: offset)
      let run = try await fleet.start(Self.arguments(fleet, proxy)).finish()
      #expect(run.status == 3 && !run.output.contains("ready"), "\(run.errors)")
      let failure = FleetError(.clockDiffers).failure
      #expect(run.errors.contains("tessera: \(failure.cause) \(try #require(failure.remedy))"), "\(run.errors)")
      proxy.stop()
    }

    @Test("a clock that is wrong later is in the log and in the status, and reads are refused until it is right")
    func later() async throws {
      let fleet = try await ProgramFleet()
      let proxy = try Self.proxy(fleet, ahead: 0)
      let inspector = try fleet.start(Self.arguments(fleet, proxy))
      #expect(await inspector.wait { $0.output.contains("ready ") || !$0.isRunning })
      let read = ["fleet", "read", "--virtual"] + fleet.desk("lobby")
      #expect(try await fleet.tessera(read).status == 0)
      let sound = try await fleet.status()["inspectors"]?.items.first
      #expect(["droppedMessages", "notPermitted"].map { sound?[$0] } == [0, 0])
      guard case .integer(let difference)? = sound?["clockAheadSeconds"] else {
        Issue.record("The server has not told its time.")
        return
      }
      #expect(abs(difference) < 60)

      proxy.set(.time(-Self.wrongTime))
      // The new connection asks for the time.
      proxy.cut()
      #expect(await inspector.wait { $0.errors.contains("The clocks of the inspector") || !$0.isRunning })
      let cause = FleetError(.clockDiffers).failure.cause
      var errors = ""
      // Longer and longer, until the inspector answers on a slow machine.
      for limit in [4, 16, 64] where !errors.contains(cause) {
        let refused = try await fleet.tessera(read + ["--within", "\(limit)"])
        #expect(refused.status == 3, "\(refused.output)")
        errors = refused.errors
      }
      #expect(errors.contains(cause), "\(errors)")
      let status = try await fleet.status()
      #expect(status["record"]?["messages"] == 1)
      guard case .integer(let ahead)? = status["inspectors"]?.items.first?["clockAheadSeconds"] else {
        Issue.record("\(status)")
        return
      }
      #expect(abs(Double(ahead) - Self.wrongTime) < 6 * 3600)
      let text = try await fleet.tessera(["fleet", "status", "--once"] + fleet.administrator).output
      #expect(text.contains("  its clock is 365 d ahead of its server's: it judges nothing\n"), "\(text)")

      proxy.set(.time(0))
      #expect(await inspector.wait { $0.errors.contains("agree again") || !$0.isRunning })
      #expect(try await fleet.tessera(read).status == 0)
      #expect(try await fleet.status()["record"]?["messages"] == 2)
      inspector.send(signal: SIGTERM)
      #expect(await inspector.finish().status == 0)
      proxy.stop()
    }
  }
}
