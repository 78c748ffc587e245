import Foundation
import TestSupport
import Testing

/// Each state of the real daemon, in a machine of the test's own.
@Suite(
  "The doctor and pcscd", .serialized, .enabled(if: PrivateMachine.isWanted, "\(PrivateMachine.obstacle ?? "")"))
struct PCSCServiceTests {
  private static let restart = "systemctl restart pcscd.socket pcscd.service"

  /// One that was booted by systemd, as far as the doctor can see.
  private func machineWithSystemd() async throws -> PrivateMachine {
    let machine = try await PrivateMachine()
    try await machine.prepare("mkdir -p /run/systemd/system && mount -t tmpfs tmpfs /etc/systemd/system")
    return machine
  }

  @Test("a daemon that is not installed")
  func notInstalled() async throws {
    let machine = try await machineWithSystemd()
    try await machine.prepare("mount -t tmpfs tmpfs /usr/sbin")
    let findings = try await machine.doctor().about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.notInstalled"])
    #expect(findings.first?.status == "problem")
    #expect(findings.first?.command == "apt-get install -y pcscd libccid")
    // Both are packages of this distribution.
    #expect(try await machine.run("apt-get install --simulate -y pcscd libccid").status == 0)
  }

  @Test("a daemon that is installed and does not run")
  func notRunning() async throws {
    let machine = try await machineWithSystemd()
    let findings = try await machine.doctor().about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.notRunning"])
    #expect(findings.first?.command == "systemctl enable --now pcscd.socket")
    #expect(findings.first?.cause.contains("/run/pcscd/pcscd.comm does not exist") == true)
    // The unit is one of the package's.
    #expect(try await machine.run("test -f /lib/systemd/system/pcscd.socket").status == 0)
  }

  @Test("units that are masked; the command takes the mask off first", arguments: ["ln -s /dev/null", "touch"])
  func masked(_ mask: String) async throws {
    let machine = try await machineWithSystemd()
    let units = ["pcscd.socket", "pcscd.service"]
    for unit in units { try await machine.prepare("\(mask) /etc/systemd/system/\(unit)") }
    let finding = try #require(try await machine.doctor().about("pcsc").first)
    #expect(finding.id == "pcsc.notRunning")
    #expect(finding.cause.contains("somebody has masked pcscd.socket and pcscd.service"))
    let commands = try #require(finding.command).split(separator: " && ").map(String.init)
    #expect(commands == ["systemctl unmask pcscd.socket pcscd.service", "systemctl enable --now pcscd.socket"])
    // systemctl itself, on the files alone: there is no systemd that could be asked to start something.
    if mask.hasPrefix("ln") {
      try await machine.prepare(try #require(commands.first), environment: ["SYSTEMD_OFFLINE": "1"])
      #expect(try await machine.run("ls /etc/systemd/system").output.isEmpty)
      #expect(try await machine.doctor().about("pcsc").first?.command == "systemctl enable --now pcscd.socket")
    }
    try await machine.prepare("rm -f /etc/systemd/system/* && ln -s /dev/null /run/systemd/system/pcscd.service")
    #expect(
      try await machine.doctor().about("pcsc").first?.command
        == "systemctl unmask --runtime pcscd.service && systemctl enable --now pcscd.socket")
  }

  @Test("where systemd does not run, no command is systemctl's, and where sudo is not, none is sudo's")
  func without() async throws {
    let machine = try await PrivateMachine()
    let asRoot = try await machine.doctor()
    #expect(asRoot.about("pcsc").first?.command == "service pcscd start")
    // The script is the package's.
    #expect(try await machine.run("test -x /etc/init.d/pcscd").status == 0)
    let withSudo = try await machine.doctor(isNobody: true)
    #expect(withSudo.about("pcsc").first?.command == "sudo service pcscd start")
    #expect(withSudo.findings.allSatisfy { $0.command?.contains("systemctl") != true })
    try await machine.prepare(
      "rm $LAB/bin/sudo; for f in /usr/bin/sudo /usr/sbin/sudo; do [ ! -e $f ] || mount --bind /dev/null $f; done")
    let withSu = try await machine.doctor(isNobody: true)
    #expect(withSu.about("pcsc").first?.command == "su - -c 'service pcscd start'")
    for report in [asRoot, withSu] {
      #expect(
        report.findings.allSatisfy { $0.command?.contains("sudo") != true && $0.command?.contains("loginctl") != true })
    }
  }

  @Test("a daemon that was killed leaves a socket behind, which is told apart")
  func abandoned() async throws {
    let machine = try await machineWithSystemd()
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
    let machine = try await machineWithSystemd()
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
    let machine = try await machineWithSystemd()
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
    let machine = try await machineWithSystemd()
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
    let machine = try await machineWithSystemd()
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
