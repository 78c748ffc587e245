import Foundation
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera and tessera-fleet")
  struct ProgramStartTests {
    private static let commands = [
      ["inspect"], ["fleet", "status"], ["fleet", "read"], ["fleet", "configure"], ["fleet", "prepare"],
    ]

    /// `tessera` in a folder of its own, and nothing else beside it than these programs.
    private func aloneProgram(in folder: TemporaryFolder, with others: [String] = []) throws -> URL {
      for name in ["tessera"] + others {
        let copy = folder.url.appendingPathComponent(name)
        do {
          try FileManager.default.linkItem(at: ProgramRun.built(name), to: copy)
        } catch {
          try RunnableFile.copy(ProgramRun.built(name), to: copy)
        }
      }
      return folder.url.appendingPathComponent("tessera")
    }

    @Test("without tessera-fleet, every command of a fleet says so, with what installs it")
    func missingProgram() async throws {
      let folder = try TemporaryFolder()
      let program = try aloneProgram(in: folder, with: ["tessera-service"])
      let fleet = ["--fleet", "nats://127.0.0.1:1"]
      for arguments in [
        ["inspect", "--inspector", "i1"] + fleet, ["fleet", "status"] + fleet,
        ["fleet", "read", "--desk", "d1"] + fleet,
        ["fleet", "prepare"] + fleet, ["fleet", "configure", "--desks", "1", "--inspectors", "1", "--out", "x"],
        ["serve", "--desk", "d1"] + fleet, ["trust", "import", "x.ml"] + fleet,
      ] {
        let run = try await RunningProgram(program, arguments, environment: ["PATH": folder.url.path]).finish()
        #expect(run.status == 3, "\(arguments): \(run.errors)")
        #expect(
          run.errors
            == "tessera: The program tessera-fleet is not installed. "
            + "Run: Tests/setup fleet && swift build --product tessera-fleet\n", "\(arguments)")
        #expect(run.output.isEmpty)
      }
    }

    @Test("the window's program has the remedy of its own")
    func missingWindow() async throws {
      let folder = try TemporaryFolder()
      let run = try await RunningProgram(
        aloneProgram(in: folder), ["open"], environment: ["PATH": folder.url.path]
      ).finish()
      #expect(run.status == 3)
      #expect(run.errors.contains("tessera-window is not installed. Run: Tests/setup window && swift build"))
    }

    @Test("without its program, the help of a command says what installs it")
    func missingHelp() async throws {
      let folder = try TemporaryFolder()
      let program = try aloneProgram(in: folder)
      for arguments in [
        ["serve", "--help"], ["help", "serve"], ["call", "--help"], ["service", "install", "--help"],
      ] {
        let run = try await RunningProgram(program, arguments, environment: ["PATH": folder.url.path]).finish()
        #expect(run.status == 3 && run.output.isEmpty, "\(arguments)")
        #expect(
          run.errors
            == "tessera: The program tessera-service is not installed. Run: swift build --product tessera-service\n")
      }
    }

    @Test("help is that of the other program, and has an example", arguments: commands)
    func help(_ command: [String]) async throws {
      let run = try await ProgramRun.tessera(command + ["--help"])
      #expect(run.status == 0 && run.errors.isEmpty)
      #expect(run.output.contains("Example"))
      #expect(run.output.contains("  tessera \(command.joined(separator: " "))"))
      #expect(run.output.contains("USAGE: tessera \(command.joined(separator: " "))"))
      #expect(try await ProgramRun.tessera(["help"] + command).output == run.output)
    }

    @Test("both programs explain the same options", arguments: commands)
    func sameHelp(_ command: [String]) async throws {
      let first = try await ProgramRun.tessera(command + ["--help"])
      let second = try await RunningProgram(ProgramRun.built("tessera-fleet"), command + ["--help"]).finish()
      #expect(second.status == 0)
      #expect(first.output == second.output.replacing("tessera-fleet ", with: "tessera "))
    }

    @Test(
      "wrong use ends with the status 2 before anything is connected",
      arguments: [
        (["inspect", "--inspector", "i1"], "--fleet is required"),
        (["inspect", "--fleet", "nats://127.0.0.1:1"], "--inspector NAME is required"),
        (["inspect", "--fleet", "nats://127.0.0.1:1", "--fleet-seed", "admin.nk"], "--inspector NAME is required"),
        (["inspect", "--fleet", "http://127.0.0.1:1", "--inspector", "i1"], "--fleet must be nats://"),
        (["inspect", "--fleet", "nats://u:geheim@127.0.0.1:1", "--inspector", "i1"], "must have no password"),
        (["inspect", "--fleet", "nats://127.0.0.1:0", "--inspector", "i1"], "--fleet must be nats://"),
        (["inspect", "--fleet", ",", "--inspector", "i1"], "requires the address"),
        (["inspect", "--fleet", "nats://127.0.0.1:1", "--inspector", "i1", "--root", "x"], "--root requires"),
        (
          ["inspect", "--fleet", "nats://127.0.0.1:1", "--inspector", "i1", "--published-roots"],
          "--published-roots requires --trust bucket"
        ),
        (
          ["inspect", "--fleet", "nats://127.0.0.1:1", "--inspector", "i1", "--trust", "bucket"],
          "--trust bucket requires --root"
        ),
        (
          [
            "inspect", "--fleet", "nats://127.0.0.1:1", "--inspector", "i1", "--trust", "bucket", "--root", "x",
            "--published-roots",
          ], "mutually exclusive"
        ),
        (["inspect", "--fleet", "nats://127.0.0.1:1", "--inspector", "i1", "--reads", "0"], "--reads must be"),
        (
          ["serve", "--fleet", "nats://127.0.0.1:1", "--desk", "d1", "--fleet-reading", "remote"],
          "tessera fleet read --fleet-reading remote"
        ),
        (["fleet", "status"], "--fleet is required"), (["fleet", "read", "--virtual"], "--fleet is required"),
        (["fleet", "read", "--fleet", "nats://127.0.0.1:1"], "--desk NAME is required"),
        (["fleet", "configure", "--desks", "1", "--inspectors", "1", "--out", "x", "--tls-key", "k"], "used together"),
        (["serve", "--desk", "d1"], "require --fleet"), (["serve", "--fleet-seed", "desk-d1.nk"], "require --fleet"),
        (
          ["fleet", "status", "--fleet", "nats://127.0.0.1:1", "--fleet-seed", "a", "--fleet-credentials", "b"],
          "mutually exclusive"
        ),
      ])
    func wrongUse(_ arguments: [String], _ message: String) async throws {
      let run = try await ProgramRun.tessera(arguments)
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(run.errors.contains(message), "\(run.errors)")
      // A password on the command line is not repeated in the log of whoever started the program.
      #expect(!run.errors.contains("geheim"))
    }
  }
}
