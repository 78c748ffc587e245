import Foundation
import TestSupport
import Testing

/// Each state of the real daemon, in a machine of the test's own.
@Suite(
  "The doctor and pcscd", .serialized, .enabled(if: PrivateMachine.isWanted, "\(PrivateMachine.obstacle ?? "")"))
struct PCSCServiceTests {
  private static let restart = "sudo systemctl restart pcscd.socket pcscd.service"

  @Test("a daemon that is not installed")
  func notInstalled() async throws {
    let machine = try await PrivateMachine()
    try await machine.prepare("mount -t tmpfs tmpfs /usr/sbin")
    let findings = try await machine.doctor().about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.notInstalled"])
    #expect(findings.first?.status == "problem")
    #expect(findings.first?.command == "sudo apt-get install -y pcscd libccid")
    // Both are packages of this distribution.
    #expect(try await machine.run("apt-get install --simulate -y pcscd libccid").status == 0)
  }

  @Test("a daemon that is installed and does not run")
  func notRunning() async throws {
    let machine = try await PrivateMachine()
    let findings = try await machine.doctor().about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.notRunning"])
    #expect(findings.first?.command == "sudo systemctl enable --now pcscd.socket")
    #expect(findings.first?.cause.contains("/run/pcscd/pcscd.comm does not exist") == true)
    // The unit is one of the package's.
    #expect(try await machine.run("test -f /lib/systemd/system/pcscd.socket").status == 0)
  }

  @Test("a daemon that was killed leaves a socket behind, which is told apart")
  func abandoned() async throws {
    let machine = try await PrivateMachine()
    let pcscd = try await start(in: machine)
    #expect(try await machine.doctor().about("pcsc").map(\.id) == ["pcsc.service"])
    pcscd.send(signal: SIGKILL)
    _ = await pcscd.finish(within: 120)
    let findings = try await machine.doctor().about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.notRunning"])
    #expect(findings.first?.cause.contains("nobody listens") == true)
    #expect(findings.first?.command == Self.restart)
  }

  @Test("a daemon that answers is told with its readers")
  func healthy() async throws {
    let machine = try await PrivateMachine()
    let pcscd = try await start(in: machine)
    defer { pcscd.send(signal: SIGKILL) }
    let findings = try await machine.doctor(isNobody: true).about("pcsc")
    #expect(findings.map(\.status) == ["ok"])
    #expect(findings.first?.cause == "pcscd answers this user and lists 0 readers.")
    #expect(findings.first?.command == nil)
  }

  @Test(
    "a socket that this user may not open; the command mends it", arguments: ["/run/pcscd", "/run/pcscd/pcscd.comm"])
  func socketAccess(_ path: String) async throws {
    let machine = try await PrivateMachine()
    let pcscd = try await start(in: machine)
    defer { pcscd.send(signal: SIGKILL) }
    try await machine.prepare("chmod 0700 \(path)")
    let findings = try await machine.doctor(isNobody: true).about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.socketAccess"])
    let finding = try #require(findings.first)
    #expect(finding.command == "sudo chmod a+x /run/pcscd && sudo chmod a+rw /run/pcscd/pcscd.comm")
    try await machine.mend(finding)
    #expect(try await machine.doctor(isNobody: true).about("pcsc").map(\.status) == ["ok"])
  }

  @Test("a daemon that does not answer ends as a finding, and the rest is told all the same")
  func silent() async throws {
    let machine = try await PrivateMachine()
    let pcscd = try await start(in: machine)
    pcscd.send(signal: SIGSTOP)
    defer { pcscd.send(signal: SIGKILL) }
    let report = try await machine.doctor()
    #expect(report.about("pcsc").map(\.id) == ["pcsc.silent"])
    #expect(report.about("pcsc").first?.command == Self.restart)
    #expect(report.about("reader").count == 1 && report.about("tpm").count == 1 && report.about("system").count == 2)
  }

  @Test("something that is no pcscd at its socket")
  func foreignListener() async throws {
    let machine = try await PrivateMachine()
    try machine.install(
      "listener",
      """
      #!/usr/bin/python3
      import socket
      server = socket.socket(socket.AF_UNIX)
      server.bind("/run/pcscd/pcscd.comm")
      server.listen()
      print("ready", flush=True)
      while True: server.accept()[0].close()
      """)
    let listener = try machine.start("exec listener")
    defer { listener.send(signal: SIGKILL) }
    #expect(await listener.wait { $0.output.contains("ready") })
    let findings = try await machine.doctor().about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.broken"])
    #expect(findings.first?.command == Self.restart)
  }

  /// A daemon without readers.
  private func start(in machine: PrivateMachine) async throws -> RunningProgram {
    try await machine.prepare("mkdir -p $LAB/readers")
    let pcscd = try machine.start("exec pcscd --foreground -c $LAB/readers")
    try await machine.waitForFile("/run/pcscd/pcscd.comm")
    return pcscd
  }
}
