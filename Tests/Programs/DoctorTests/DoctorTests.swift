import Foundation
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraDoctor

extension RealPrograms {
  @Suite("Doctor")
  struct DoctorTests {
    /// A check that blocks its thread, as a C call does.
    private struct Blocking: DiagnosticCheck {
      let title = "Blocking"
      let thread = BlockingWork(name: "blocking")
      let end = DispatchSemaphore(value: 0)
      let hasEnded = Locked(false)
      func findings() async -> [Finding] {
        _ = try? await thread.run {
          _ = end.wait(timeout: .now() + 600)
          hasEnded.withLock { $0 = true }
        }
        return [ok("late", "Too late.")]
      }
    }

    private struct Quick: DiagnosticCheck {
      let title: String
      func findings() async -> [Finding] { [ok("first", title), information("second", title)] }
    }

    @Test("a check that exceeds its time limit becomes a finding in its position and does not delay others")
    func silence() async {
      let blocking = Blocking()
      let findings = await Doctor.findings(
        of: [Quick(title: "a"), blocking, Quick(title: "b")], limit: .milliseconds(200))
      #expect(findings.map(\.id) == ["first", "second", "doctor.silence", "first", "second"])
      #expect(findings[2].status == .problem && findings[2].title == "Blocking")
      #expect(!blocking.hasEnded.withLock { $0 }, "the doctor waited for the check")
      blocking.end.signal()
    }

    @Test("in a first look, a check without an answer keeps its part, and is no problem")
    func unanswered() {
      let checks: [any DiagnosticCheck] = [PCSCServiceCheck(), ReaderCheck(), Quick(title: "a")]
      let findings = checks.map { Doctor.unanswered($0, within: .seconds(1)) }
      #expect(findings.map(\.id) == ["pcsc.silent", "reader.silent", "doctor.silence"])
      #expect(findings.allSatisfy { $0.status == .information && $0.command == nil })
    }

    @Test("the text has marks, aligned titles and commands on separate lines, and no colour without a terminal")
    func lines() async throws {
      let folder = try TemporaryFolder()
      let environment = [
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("none"))", "XDG_DATA_HOME": folder.url.path,
        "TESSERA_TPM2_TCTI": "swtpm:port=1", "PCSCLITE_CSOCK_NAME": folder.file("none"),
      ]
      let run = try await ProgramRun.tessera(["doctor"], environment: environment)
      #expect(run.status == 3 && run.errors.isEmpty)
      #expect(!run.output.contains("\u{1B}"))
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(lines.contains { $0.hasPrefix("!!  PC/SC service ") })
      let report = try DoctorReport(try await ProgramRun.tessera(["doctor", "--json"], environment: environment))
      let commands = report.findings.compactMap(\.command)
      #expect(!commands.isEmpty && commands.allSatisfy { lines.contains("      " + $0) })
      let marked = lines.filter { line in ["ok  ", "!!  ", "--  "].contains { line.hasPrefix($0) } }
      #expect(marked.count == report.findings.count)
      // All causes start in the same column.
      let columns = zip(marked, report.findings).map { line, finding in
        line.firstRange(of: finding.cause).map { line.distance(from: line.startIndex, to: $0.lowerBound) } ?? -1
      }
      #expect(Set(columns).count == 1 && !columns.contains(-1))
    }

    @Test("colour on a terminal, unless NO_COLOR is set")
    func colour() async throws {
      for (noColour, isColoured) in [("", true), ("1", false)] {
        let run = try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/script"), ["-qec", "\(ProgramRun.tessera.path) doctor", "/dev/null"],
          environment: ["TERM": "xterm", "NO_COLOR": noColour]
        ).finish(within: 120)
        #expect(run.output.contains("\u{1B}[") == isColoured)
        #expect(run.output.contains("PC/SC service"))
      }
    }

    @Test("the embedded rules equal the files in the folder udev", arguments: RuleFile.allCases)
    func carriedRules(_ rules: RuleFile) async throws {
      let file = Fixtures.tests.deletingLastPathComponent().appendingPathComponent("udev/\(rules.fileName)")
      let run = try await ProgramRun.tessera(["doctor", "--rules", rules.rawValue])
      #expect(run.status == 0)
      #expect(run.output == (try String(contentsOf: file, encoding: .utf8)))
    }

    @Test("reports a TPM that the environment selects")
    func otherTPM() async throws {
      let run = try await ProgramRun.tessera(["doctor", "--json"], environment: ["TESSERA_TPM2_TCTI": "swtpm:port=1"])
      let findings = try DoctorReport(run).about("tpm")
      #expect(findings.map(\.id) == ["tpm.elsewhere"] && findings.first?.status == "information")
    }

    @Test("a missing TPM is not a problem")
    func noTPM() async throws {
      let run = try await ProgramRun.tessera(
        ["doctor", "--json"], environment: ["TESSERA_TPM2_TCTI": "device:/dev/none"])
      let findings = try DoctorReport(run).about("tpm")
      #expect(findings.count == 1 && findings.first?.status == "information")
    }

    @Test("tests bits in the bit sets of sysfs")
    func bits() {
      #expect(RumbleDeviceCheck.hasBit(0x50, in: "107030000 0"))
      #expect(RumbleDeviceCheck.hasBit(0x50, in: "10000 0"))
      #expect(!RumbleDeviceCheck.hasBit(0x50, in: "1020000 0"))
      #expect(!RumbleDeviceCheck.hasBit(0x50, in: "10000"))
      #expect(!RumbleDeviceCheck.hasBit(0x50, in: "0"))
      #expect(!RumbleDeviceCheck.hasBit(0x50, in: ""))
      #expect(!RumbleDeviceCheck.hasBit(0x50, in: "zz ffffffffffffffffffffffffffff 0"))
      #expect(RumbleDeviceCheck.hasBit(0, in: "1"))
    }

    @Test(
      "quotes any text as one shell word", arguments: ["a", "", "it's", "$(id)\n`x`", "-n", "a b", "\\"])
    func words(_ text: String) async throws {
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/bin/sh"), ["-c", "printf '[%s]' \(Shell.word(text))"]
      ).finish(within: 120)
      #expect(run.output == "[\(text)]")
    }

    @Test("root runs commands directly, others with sudo or, without sudo, in one line with su")
    func rootCommands() {
      let commands: [RootCommand] = [.write("echo 'a b'", to: "/etc/a"), .run("systemctl restart b")]
      #expect(RootCommand.line(commands, .isRoot) == "echo 'a b' | tee /etc/a > /dev/null && systemctl restart b")
      #expect(
        RootCommand.line(commands, .sudo) == "echo 'a b' | sudo tee /etc/a > /dev/null && sudo systemctl restart b")
      #expect(
        RootCommand.line(commands, .su)
          == #"su - -c 'echo '\''a b'\'' | tee /etc/a > /dev/null && systemctl restart b'"#)
    }

    @Test("finds the versions of installed packages only")
    func packages() {
      let database = Data(
        """
        Package: pcscd-extra
        Status: install ok installed
        Version: 9

        Package: libccid
        Status: deinstall ok config-files
        Version: 8

        Package: pcscd
        Status: install ok installed
        Version: 1.9.9-2
        Description: Package: libnfc6

        """.utf8)
      let versions = InstalledPackage.versions(of: ["pcscd", "libccid", "libnfc6"], in: database)
      #expect(versions == ["pcscd": "1.9.9-2"])
    }
  }
}
