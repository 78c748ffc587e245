import Foundation
import TesseraCore
import TestSupport
import Testing

extension RealPrograms.AsRoot {
  /// The password of the account with polkit itself, on a machine of its own. The service runs as `nobody`, since polkit
  /// asks root nothing; an agent answers for the user.
  @Suite(
    "Password with polkit itself", .serialized,
    .enabled(if: PrivateMachine.isEnabled, "\(PrivateMachine.unavailableReason ?? "")"))
  struct PolkitTests {
    private let machine: PrivateMachine
    private let environment: [String: String]
    private let bus: RunningProgram
    private let authority: RunningProgram
    private let notifications: RunningProgram

    init() async throws {
      machine = try await PrivateMachine()
      let address = "unix:path=\(machine.folder.file("bus"))"
      environment = [
        "DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address,
        "HOME": machine.folder.file("home"), "XDG_DATA_HOME": machine.folder.file("home"),
      ]
      try SystemBusConfiguration.text(socket: machine.folder.file("bus")).write(
        toFile: machine.folder.file("bus.conf"), atomically: true, encoding: .utf8)
      try await machine.prepare(
        """
        mkdir $LAB/home && chown nobody:nogroup $LAB/home && chmod 700 $LAB/home \
        && cp -r /usr/share/polkit-1/actions $LAB/actions && mount --bind $LAB/actions /usr/share/polkit-1/actions
        """)
      bus = try machine.start(
        "exec dbus-daemon --config-file=$LAB/bus.conf --nofork --nopidfile", environment: environment)
      try await machine.waitForFile(machine.folder.file("bus"))
      try await machine.prepare("chmod 777 $LAB/bus")
      authority = try machine.start("exec /usr/lib/polkit-1/polkitd --no-debug", environment: environment)
      // The password answers only where the caller is shown.
      notifications = try machine.start(
        "exec /usr/bin/python3 -m dbusmock --session --template notification_daemon", environment: environment)
      for name in ["org.freedesktop.PolicyKit1", "org.freedesktop.Notifications"] {
        try await machine.prepare("gdbus wait --system --timeout 60 \(name)", environment: environment)
      }
    }

    private func stop() {
      for program in [bus, authority, notifications] { program.send(signal: SIGKILL) }
      machine.stop()
    }

    /// Installs the action with the command that the doctor prints.
    private func installPolicy() async throws {
      for expected in ["information", "ok"] {
        let report = try await machine.doctor(environment: environment)
        let finding = try #require(report.findings.first { $0.id == "fingerprint.policy" })
        #expect(finding.status == expected)
        guard expected == "information" else { return }
        try await machine.prepare(try #require(finding.command), environment: environment)
      }
    }

    private func nobody(_ command: String) -> String {
      "exec setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs -- \(command)"
    }

    private func serve(_ options: String) async throws -> (service: RunningProgram, socket: String) {
      let socket = machine.folder.file("home/bridge.sock")
      try? FileManager.default.removeItem(atPath: socket)
      let service = try machine.start(
        nobody("$LAB/bin/tessera serve --socket \(socket) \(options)"), environment: environment)
      #expect(await service.wait(within: 60) { $0.output.contains("ready") }, "\(service.errors)")
      return (service, socket)
    }

    private func startAgent(_ service: RunningProgram, _ answer: String) async throws -> RunningProgram {
      let script = Fixtures.tests.appendingPathComponent("Bridge/FingerprintTests/polkit-agent.py").path
      let agent = try machine.start(
        "exec /usr/bin/python3 '\(script)' \(service.processIdentifier) \(answer)", environment: environment)
      #expect(await agent.wait(within: 60) { $0.output.contains("ready") }, "\(agent.errors)")
      return agent
    }

    private func call(_ socket: String, _ method: String) async throws -> ProgramRun {
      try await machine.run(
        nobody("$LAB/bin/tessera call --json --socket \(socket) biometrics.\(method)"), environment: environment)
    }

    @Test("the password answers where there is no reader, and only with the switch and the policy file")
    func password() async throws {
      defer { stop() }
      // Without the policy file.
      var (service, socket) = try await serve("--allow-password")
      #expect(try await call(socket, "isAvailable").output == "false\n")
      var run = try await call(socket, "authenticate")
      #expect(run.status != 0 && run.output.contains("no_policy"), "\(run)")
      try await installPolicy()
      // An answer counts for two seconds.
      try await eventually(every: .milliseconds(200)) { try await call(socket, "isAvailable").output == "true\n" }
      // Without an agent.
      run = try await call(socket, "authenticate")
      #expect(run.status != 0 && run.output.contains("no_prompt"), "\(run)")
      var agent = try await startAgent(service, "yes")
      run = try await call(socket, "authenticate")
      #expect(run.status == 0 && run.output == "\"deviceCredential\"\n", "\(run)")
      let identifier = try await machine.run("id -u nobody").output
      #expect(
        await agent.wait { $0.output.contains("asked org.tessera.authenticate \(identifier)") }, "\(agent.output)")
      // Each request asks again.
      run = try await call(socket, "authenticate")
      #expect(run.status == 0)
      agent.send(signal: SIGKILL)
      let asked = await agent.finish().output.split(separator: "\n").filter { $0.hasPrefix("asked") }
      #expect(asked.count == 2)

      agent = try await startAgent(service, "dismiss")
      run = try await call(socket, "authenticate")
      #expect(run.status != 0 && run.output.contains("refused"), "\(run)")
      agent.send(signal: SIGKILL)
      _ = await agent.finish()

      // A client that goes away closes the dialog.
      agent = try await startAgent(service, "wait")
      let client = try machine.start(
        nobody("$LAB/bin/tessera call --socket \(socket) biometrics.authenticate"), environment: environment)
      #expect(await agent.wait(within: 60) { $0.output.contains("asked") })
      client.send(signal: SIGKILL)
      #expect(await agent.wait(within: 60) { $0.output.contains("cancelled") })
      agent.send(signal: SIGKILL)
      service.send(signal: SIGTERM)
      #expect(await service.finish(within: 60).status == 0)

      (service, socket) = try await serve("")
      agent = try await startAgent(service, "yes")
      #expect(try await call(socket, "isAvailable").output == "false\n")
      run = try await call(socket, "authenticate")
      #expect(run.status != 0 && run.output.contains("NOT_CONFIGURED"), "\(run)")
      service.send(signal: SIGTERM)
      _ = await service.finish(within: 60)
      agent.send(signal: SIGKILL)
      #expect(await !agent.finish().output.contains("asked"))
    }

    @Test("root, whom polkit allows everything, is not authenticated by that")
    func root() async throws {
      defer { stop() }
      try await installPolicy()
      let socket = machine.folder.file("root.sock")
      let service = try machine.start(
        "exec $LAB/bin/tessera serve --socket \(socket) --allow-password", environment: environment)
      #expect(await service.wait(within: 60) { $0.output.contains("ready") }, "\(service.errors)")
      let run = try await machine.tessera(
        ["call", "--json", "--socket", socket, "biometrics.authenticate"], environment: environment)
      #expect(run.status != 0 && run.output.contains("no_question"), "\(run)")
      service.send(signal: SIGTERM)
      _ = await service.finish(within: 60)
    }
  }
}
