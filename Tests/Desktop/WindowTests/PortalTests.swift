import Foundation
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("xdg-desktop-portal")
  struct PortalTests {
    private static let name = "org.freedesktop.portal.Desktop"
    /// An interface of the portal that WebKit's processes of pages ask, as root and as an ordinary user.
    private static let interface = "org.freedesktop.portal.PowerProfileMonitor"

    @Test("that does not answer: the pages do without it, whoever the user is")
    func silent() async throws {
      let lab = try await WindowLab()
      let desk = try await Desk(lab, ["portal.service": "[D-BUS Service]\nName=\(Self.name)\nExec=/bin/sleep 100\n"])
      let run = try await desk.readSpecimen()
      guard run.isSandboxed else { return print("Not tested: pages have no sandbox here, and ask no portal.") }
      #expect(run.log.contains("xdg-desktop-portal has not answered within 2 s. Pages do without it."))
      #expect(run.calls.contains("member=Get"))
      #expect(!run.calls.contains(Self.interface) && !run.calls.contains("member=StartServiceByName"))
    }

    @Test(
      "that answers: the pages ask it",
      .enabled(if: ProgramRun.succeeds("/usr/bin/python3", ["-c", "import dbusmock"]), "no python3-dbusmock"))
    func working() async throws {
      let lab = try await WindowLab()
      let desk = try await Desk(lab, [:])
      let portal = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"),
        [
          "-m", "dbusmock", "--session", Self.name, "/org/freedesktop/portal/desktop",
          "org.freedesktop.portal.Settings",
        ], environment: ["DBUS_SESSION_BUS_ADDRESS": desk.address])
      defer { portal.send(signal: SIGTERM) }
      // It asks for the name, and the bus tells that it has it.
      _ = await portal.wait { _ in desk.calls.components(separatedBy: "string \"\(Self.name)\"").count > 2 }
      let run = try await desk.readSpecimen()
      guard run.isSandboxed else { return print("Not tested: pages have no sandbox here, and ask no portal.") }
      #expect(!run.log.contains("xdg-desktop-portal"))
      #expect(run.calls.contains(Self.interface))
    }
  }

  /// A bus of a session, with what goes over it.
  private final class Desk: Sendable {
    let address: String
    private let lab: WindowLab
    private let bus: RunningProgram
    private let monitor: RunningProgram

    /// - Parameter services: the files of the services that the bus can start, by name.
    init(_ lab: WindowLab, _ services: [String: String]) async throws {
      self.lab = lab
      // In a folder of its own: WebKit opens it to its proxy of the bus.
      let folder = lab.home.file("run/session")
      try FileManager.default.createDirectory(atPath: "\(folder)/services", withIntermediateDirectories: true)
      for (name, text) in services {
        try text.write(toFile: "\(folder)/services/\(name)", atomically: false, encoding: .utf8)
      }
      try SystemBusConfiguration.text(socket: "\(folder)/bus", services: "\(folder)/services").write(
        toFile: "\(folder)/bus.conf", atomically: false, encoding: .utf8)
      bus = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/dbus-daemon"),
        ["--config-file=\(folder)/bus.conf", "--nofork", "--print-address"])
      _ = await bus.wait { $0.output.contains("\n") || !$0.isRunning }
      address = "unix:path=\(folder)/bus"
      monitor = try RunningProgram(URL(fileURLWithPath: "/usr/bin/dbus-monitor"), ["--address", address])
      // The name of its own connection, which it loses, since a monitor has none.
      _ = await monitor.wait { $0.output.contains("member=NameLost") || !$0.isRunning }
    }

    deinit { for program in [monitor, bus] { program.send(signal: SIGTERM) } }

    /// What went over the bus until now.
    var calls: String { monitor.output }

    /// Reads the specimen in a kiosk, whose pages ask the portal for the power profile, too.
    func readSpecimen() async throws -> (log: String, calls: String, isSandboxed: Bool) {
      let program = try await lab.open(
        ["--virtual"], command: "kiosk",
        environment: ["DBUS_SESSION_BUS_ADDRESS": address, "GIO_USE_POWER_PROFILE_MONITOR": "portal"])
      try await lab.readSpecimen(in: lab.window("Check a document"))
      program.send(signal: SIGTERM)
      let log = await program.finish(within: 60).errors
      return (log, calls, !log.contains("without a sandbox"))
    }
  }
}
