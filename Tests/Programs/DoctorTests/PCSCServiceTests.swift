import Foundation
import TestSupport
import Testing

extension RealPrograms.AsRoot {
  /// Each state of the real daemon, in a private mount namespace.
  @Suite(
    "Doctor: pcscd", .serialized, .enabled(if: PrivateMachine.isEnabled, "\(PrivateMachine.unavailableReason ?? "")"))
  struct PCSCServiceTests {
    private static let restart = "systemctl restart pcscd.socket pcscd.service"

    /// A system that appears to be booted by systemd.
    private func machineWithSystemd() async throws -> PrivateMachine {
      let machine = try await PrivateMachine()
      try await machine.prepare("mkdir -p /run/systemd/system && mount -t tmpfs tmpfs /etc/systemd/system")
      return machine
    }

    @Test("pcscd is not installed")
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

    @Test("pcscd is installed but not running")
    func notRunning() async throws {
      let machine = try await machineWithSystemd()
      let findings = try await machine.doctor().about("pcsc")
      #expect(findings.map(\.id) == ["pcsc.notRunning"])
      #expect(findings.first?.command == "systemctl enable --now pcscd.socket")
      #expect(findings.first?.cause.contains("/run/pcscd/pcscd.comm does not exist") == true)
      // The package contains the unit.
      #expect(try await machine.run("test -f /lib/systemd/system/pcscd.socket").status == 0)
    }

    @Test("masked units; the command unmasks them first", arguments: ["ln -s /dev/null", "touch"])
    func masked(_ mask: String) async throws {
      let machine = try await machineWithSystemd()
      let units = ["pcscd.socket", "pcscd.service"]
      for unit in units { try await machine.prepare("\(mask) /etc/systemd/system/\(unit)") }
      let finding = try #require(try await machine.doctor().about("pcsc").first)
      #expect(finding.id == "pcsc.notRunning")
      #expect(finding.cause.contains("Masked units: pcscd.socket, pcscd.service."))
      let commands = try #require(finding.command).split(separator: " && ").map(String.init)
      #expect(commands == ["systemctl unmask pcscd.socket pcscd.service", "systemctl enable --now pcscd.socket"])
      // Runs systemctl on the unit files only: no systemd is running that could start a unit.
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

    @Test("no command uses systemctl without systemd, or sudo without sudo")
    func without() async throws {
      let machine = try await PrivateMachine()
      let asRoot = try await machine.doctor()
      #expect(asRoot.about("pcsc").first?.command == "service pcscd start")
      // The package contains the script.
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
          report.findings.allSatisfy {
            $0.command?.contains("sudo") != true && $0.command?.contains("loginctl") != true
          })
      }
    }

    @Test("distinguishes the stale socket of a killed pcscd")
    func abandoned() async throws {
      let machine = try await machineWithSystemd()
      let pcscd = try await start(in: machine)
      #expect(try await machine.doctor().about("pcsc").map(\.id) == ["pcsc.service"])
      pcscd.send(signal: SIGKILL)
      _ = await pcscd.finish(within: 120)
      let findings = try await machine.doctor().about("pcsc")
      #expect(findings.map(\.id) == ["pcsc.notRunning"])
      #expect(findings.first?.cause.contains("no process listens") == true)
      #expect(findings.first?.command == Self.restart)
    }

    @Test("reports the readers of a running pcscd")
    func healthy() async throws {
      let machine = try await machineWithSystemd()
      let pcscd = try await start(in: machine)
      defer { pcscd.send(signal: SIGKILL) }
      let findings = try await machine.doctor(isNobody: true).about("pcsc")
      #expect(findings.map(\.status) == ["ok"])
      #expect(findings.first?.cause == "pcscd accepts this user and lists 0 readers.")
      #expect(findings.first?.command == nil)
    }

    @Test(
      "a socket without permission for this user; the command corrects it",
      arguments: ["/run/pcscd", "/run/pcscd/pcscd.comm"])
    func socketAccess(_ path: String) async throws {
      let machine = try await machineWithSystemd()
      let pcscd = try await start(in: machine)
      defer { pcscd.send(signal: SIGKILL) }
      try await machine.prepare("chmod 0700 \(path)")
      let findings = try await machine.doctor(isNobody: true).about("pcsc")
      #expect(findings.map(\.id) == ["pcsc.socketAccess"])
      let finding = try #require(findings.first)
      #expect(finding.command == "sudo chmod a+x /run/pcscd && sudo chmod a+rw /run/pcscd/pcscd.comm")
      try await machine.applyRemedy(of: finding)
      #expect(try await machine.doctor(isNobody: true).about("pcsc").map(\.status) == ["ok"])
    }

    @Test("reports a pcscd that does not respond, and all other findings")
    func silent() async throws {
      let machine = try await machineWithSystemd()
      let pcscd = try await start(in: machine)
      pcscd.send(signal: SIGSTOP)
      defer { pcscd.send(signal: SIGKILL) }
      let report = try await machine.doctor(acceptsSilence: true)
      #expect(report.about("pcsc").map(\.id) == ["pcsc.silent"])
      #expect(report.about("pcsc").first?.command == Self.restart)
      #expect(report.about("reader").count == 1 && report.about("tpm").count == 1 && report.about("system").count == 2)
    }

    @Test("another program listens at the socket of pcscd")
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

    /// Starts a daemon without readers.
    private func start(in machine: PrivateMachine) async throws -> RunningProgram {
      try await machine.prepare("mkdir -p $LAB/readers")
      let pcscd = try machine.start("exec pcscd --foreground -c $LAB/readers")
      try await machine.waitForFile("/run/pcscd/pcscd.comm")
      return pcscd
    }
  }
}
