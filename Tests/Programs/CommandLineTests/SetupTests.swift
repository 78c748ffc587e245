import Foundation
import Tessera
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraCLI
@testable import TesseraDoctor

extension RealPrograms {
  /// The run of setup on a machine that is a folder: its programs write what they are called with to a file.
  @Suite("tessera setup")
  struct SetupTests {
    /// The findings of each diagnosis, the answers of the user, and the programs of the machine.
    private final class Machine: Sendable {
      let folder: TemporaryFolder
      private let diagnoses: Locked<[[Finding]]>
      private let answers: Locked<[Bool]>
      let shown = Locked<[String]>([])

      /// - Parameters:
      ///   - diagnoses: After the last one there is nothing to find.
      ///   - answers: After the last one the answer is no.
      init(_ diagnoses: [[Finding]], answers: [Bool] = []) throws {
        folder = try TemporaryFolder()
        self.diagnoses = Locked(diagnoses)
        self.answers = Locked(answers)
        try FileManager.default.createDirectory(atPath: folder.file("bin"), withIntermediateDirectories: true)
        // The sudo of this machine is an ordinary program.
        try program("sudo", "exec \"$@\"")
        for name in ["apt-get", "systemctl", "usermod"] { try program(name) }
      }

      /// Installs a program that writes its call, then runs the rest of its script.
      func program(_ name: String, _ script: String = "exit 0") throws {
        try RunnableFile.write(
          "#!/bin/sh\necho \"\(name) $*\" >> '\(folder.file("log"))'\n\(script)\n", to: folder.file("bin/\(name)"))
      }

      /// The calls of programs, without those of sudo.
      var calls: [String] {
        String(decoding: folder.bytes("log"), as: UTF8.self).split(separator: "\n").map(String.init)
          .filter { !$0.hasPrefix("sudo ") }
      }

      func run(isUnattended: Bool = true) async throws -> SetupReport {
        let folder = folder
        let setup = SetupRun(
          elevation: .sudo, isUnattended: isUnattended,
          diagnose: { [self] in next() },
          show: { [self] _, line in shown.withLock { $0.append(line) } },
          ask: { [self] in answers.withLock { $0.isEmpty ? false : $0.removeFirst() } },
          perform: { line in
            try await StepProcess.run("PATH='\(folder.file("bin")):'\"$PATH\"; \(line)", output: STDERR_FILENO)
          })
        return try await setup.run(from: try await setup.diagnose())
      }

      private func next() -> [Finding] { diagnoses.withLock { $0.isEmpty ? [] : $0.removeFirst() } }
    }

    private static func problem(_ id: String, _ correction: Correction?) -> Finding {
      Finding(id, .problem, title: id, cause: "Something is wrong.", remedy: "Correct it.", correction: correction)
    }

    private static let restart = problem("pcsc.silent", .root([.run("systemctl restart pcscd")]))
    private static let packages = problem("pcsc.notInstalled", .root([.install(["pcscd", "libccid"])]))

    @Test("runs each command once, the packages first, and examines the machine again")
    func all() async throws {
      let machine = try Machine([[Self.restart, Self.packages, Self.restart]])
      let report = try await machine.run()
      #expect(
        machine.calls == ["apt-get update", "apt-get install -y pcscd libccid", "systemctl restart pcscd"])
      #expect(report.results.map(\.outcome) == [.done, .done])
      #expect(report.isSuccess && report.findings.isEmpty)
    }

    @Test("runs only what the user agrees to, and shows each command before")
    func asking() async throws {
      let machine = try Machine([[Self.packages, Self.restart], [Self.packages]], answers: [false, true])
      let report = try await machine.run(isUnattended: false)
      #expect(machine.calls == ["systemctl restart pcscd"])
      #expect(report.results.map(\.outcome) == [.declined, .done])
      let apt = "sudo env DEBIAN_FRONTEND=noninteractive apt-get"
      #expect(
        machine.shown.withLock { $0 } == [
          "{ \(apt) update || true; } && \(apt) install -y pcscd libccid", "sudo systemctl restart pcscd",
        ])
      #expect(!report.isSuccess && report.problems.map(\.id) == ["pcsc.notInstalled"])
    }

    @Test("a step that fails does not stop the others, except those that need its packages")
    func failure() async throws {
      let needy = Self.problem("reader.ccidMissing", .root([.install(["libccid"]), .run("usermod -aG tss a")]))
      let machine = try Machine([[needy, Self.restart], [needy]])
      try machine.program("apt-get", "exit 100")
      let report = try await machine.run()
      #expect(report.results.map(\.outcome) == [.failed, .skipped, .done])
      #expect(report.results.map(\.status) == [100, nil, 0])
      #expect(machine.calls == ["apt-get update", "apt-get install -y libccid", "systemctl restart pcscd"])
      #expect(!report.isSuccess)
    }

    @Test("what needs packages does not run in a later round without them")
    func laterRound() async throws {
      let needy = Self.problem("reader.ccidMissing", .root([.install(["libccid"]), .run("usermod -aG tss a")]))
      let machine = try Machine([[Self.packages, Self.restart], [needy]])
      try machine.program("apt-get", "exit 100")
      #expect(try await machine.run().results.map(\.outcome) == [.failed, .done, .skipped])
      #expect(!machine.calls.contains { $0.hasPrefix("usermod") })
    }

    @Test("a source of packages that does not answer does not keep those from the others away")
    func brokenSource() async throws {
      let machine = try Machine([[Self.packages]])
      try machine.program("apt-get", "[ \"$1\" = install ] || exit 100")
      #expect(try await machine.run().results.map(\.outcome) == [.done])
      #expect(machine.calls == ["apt-get update", "apt-get install -y pcscd libccid"])
    }

    @Test("writes no file if the command whose output it is has failed", arguments: [true, false])
    func file(works: Bool) async throws {
      let folder = try TemporaryFolder()
      let file = folder.file("rules")
      let source = "sh -c 'printf \"a\\nb\\n\"; exit \(works ? 0 : 1)'"
      let report = try await Machine([[Self.problem("rules.nfc", .root([.write(source, to: file)]))]]).run()
      #expect(report.results.map(\.outcome) == [works ? .done : .failed])
      #expect(FileManager.default.fileExists(atPath: file) == works)
      if works { #expect(folder.bytes("rules").elementsEqual("a\nb\n".utf8)) }
    }

    @Test("corrects what the first steps have revealed, and repeats none")
    func rounds() async throws {
      let machine = try Machine([[Self.packages], [Self.packages, Self.restart], [Self.packages, Self.restart]])
      let report = try await machine.run()
      #expect(report.results.map(\.step.findings.first?.id) == ["pcsc.notInstalled", "pcsc.silent"])
      #expect(machine.calls.count { $0.hasPrefix("apt-get install") } == 1)
      #expect(report.problems.count == 2, "what is left is for a user")
    }

    @Test("without questions leaves out what not every machine needs")
    func optional() async throws {
      let fingerprints = Self.problem("fingerprint.none", .root([.install(["fprintd"])], isOptional: true))
      let machine = try Machine([[fingerprints]])
      #expect(try await machine.run().results.isEmpty)
      #expect(machine.calls.isEmpty)
    }

    @Test("says what remains to be done after a step")
    func afterwards() async throws {
      let group = Self.problem("tpm.access", .root([.run("usermod -aG tss a")], afterwards: Correction.newLogin))
      let report = try await Machine([[group]]).run()
      #expect(report.afterwards == [Correction.newLogin])
      #expect(SetupOutput.summary(report).contains(Correction.newLogin))
    }

    @Test("the object for scripts")
    func object() async throws {
      let machine = try Machine([[Self.restart], [Self.restart]])
      try machine.program("systemctl", "exit 5")
      let object = SetupOutput.object(try await machine.run(), elevation: .sudo)
      let expected: JSONValue = [
        "steps": [
          [
            "findings": ["pcsc.silent"], "command": "sudo systemctl restart pcscd", "root": true, "by": "sudo",
            "outcome": "failed", "status": 5,
          ]
        ],
        "problems": .array([FindingOutput.object(Self.restart)]), "afterwards": .array([]), "interrupted": false,
      ]
      #expect(object == expected, "\(object.text)")
    }

    // MARK: - The program

    /// A machine whose pcscd does not run, and whose programs do nothing.
    private func idleMachine(_ folder: TemporaryFolder) throws -> [String: String] {
      let programs = [
        "sudo", "env", "su", "pkexec", "service", "systemctl", "loginctl", "apt-get", "udevadm", "tee", "sed",
        "modprobe",
        "setfacl", "usermod", "chmod", "chown",
      ]
      for name in programs {
        let script = name == "sudo" || name == "env" ? "exec /usr/bin/env \"$@\"" : "exit 0"
        try RunnableFile.write(
          "#!/bin/sh\necho \"\(name) $*\" >> '\(folder.file("log"))'\n\(script)\n", to: folder.file(name))
      }
      return [
        "PATH": "\(folder.url.path):/usr/bin:/bin", "PCSCLITE_CSOCK_NAME": folder.file("none"),
        "XDG_DATA_HOME": folder.file("data"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("none"))",
        "TESSERA_TPM2_TCTI": "swtpm:port=1", "DISPLAY": "", "WAYLAND_DISPLAY": "", "SUDO_USER": "",
      ]
    }

    private func log(_ folder: TemporaryFolder) -> String { String(decoding: folder.bytes("log"), as: UTF8.self) }

    @Test("changes nothing without a terminal and without --yes")
    func noTerminal() async throws {
      let folder = try TemporaryFolder()
      let environment = try idleMachine(folder)
      let run = try await ProgramRun.tessera(["setup"], environment: environment)
      #expect(run.status == 2, "\(run.output)\(run.errors)")
      #expect(run.output.contains("pcscd") && run.errors.contains("nothing was changed"))
      let object = try await ProgramRun.tessera(["setup", "--json"], environment: environment)
      let error = try JSONValue(text: object.output)["error"]
      #expect(object.status == 2 && error?["code"] == "usage", "\(object.output)")
      #expect(log(folder).isEmpty)
    }

    @Test("--yes runs the steps; --json prints one object, and what the steps print is not in it")
    func unattended() async throws {
      let folder = try TemporaryFolder()
      let run = try await ProgramRun.tessera(["setup", "--yes", "--json"], environment: try idleMachine(folder))
      let object = try JSONValue(text: run.output)
      guard case .array(let steps)? = object["steps"] else {
        Issue.record("no steps: \(run.output)\(run.errors)")
        return
      }
      #expect(steps.contains { $0["command"]?.stringValue?.contains("pcscd") == true })
      // The programs do nothing, so pcscd still does not run.
      #expect(run.status == 3)
      #expect(log(folder).contains("pcscd"))
    }

    /// Runs a program on a new terminal, types something at once, and answers each of its questions. Prints what the
    /// terminal showed, and the status.
    private static let user = """
      import os, pty, sys
      early, answer, command = sys.argv[1], sys.argv[2], sys.argv[3:]
      child, terminal = pty.fork()
      if child == 0: os.execv(command[0], command)
      if early: os.write(terminal, early.encode())
      shown, answered = b"", 0
      try:
          while (data := os.read(terminal, 4096)):
              shown += data
              while shown.count(b"[y/N]") > answered:
                  answered += 1
                  os.write(terminal, answer.encode() + b"\\n")
      except OSError: pass
      print(shown.decode(errors="replace"))
      print("questions", answered, "status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      """

    @Test(
      "asks on a terminal before each step; what was typed before is no answer",
      arguments: [("", "y", true), ("", "n", false), ("y\n", "n", false)])
    func terminal(early: String, answer: String, runs: Bool) async throws {
      let folder = try TemporaryFolder()
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", Self.user, early, answer, ProgramRun.tessera.path, "setup"],
        environment: try idleMachine(folder)
      ).finish(within: 180)
      #expect(run.output.contains("Run this? [y/N]"), "\(run.output)\(run.errors)")
      // pcscd still does not run, whether its start was tried or not.
      #expect(run.output.contains("status 3"), "\(run.output)")
      #expect(log(folder).contains("pcscd") == runs)
      if !runs { #expect(log(folder).isEmpty) }
    }

    @Test("a signal reaches the step, and ends setup with its status", arguments: [SIGTERM, SIGINT])
    func signal(_ number: Int32) async throws {
      let folder = try TemporaryFolder()
      let environment = try idleMachine(folder)
      for name in ["service", "systemctl", "apt-get"] {
        try RunnableFile.write(
          """
          #!/bin/sh
          trap 'echo ended >> "\(folder.file("log"))"; exit 1' INT TERM
          echo started >> "\(folder.file("log"))"
          for turn in $(seq 600); do sleep 0.1; done
          """, to: folder.file(name))
      }
      let program = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/env"),
        ["--default-signal=INT,TERM", ProgramRun.tessera.path, "setup", "--yes", "--json"], environment: environment)
      #expect(await program.wait(within: 120) { _ in log(folder).contains("started") }, "\(program.errors)")
      program.send(signal: number)
      let run = await program.finish(within: 120)
      #expect(run.status == 128 + number, "\(run.output)\(run.errors)")
      #expect(log(folder).contains("ended"))
      #expect(try JSONValue(text: run.output)["interrupted"] == true)
    }
  }
}
