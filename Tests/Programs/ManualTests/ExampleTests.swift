import Foundation
import TestSupport
import Testing

@testable import TesseraManual

extension RealPrograms {
  @Suite("The examples of the manual")
  struct ExampleTests {
    @Test("every command has one, and every example a command")
    func complete() {
      let titles = Set(BuiltManual.commands.map { $0.words.joined(separator: " ") })
      let described = Set(Example.all.map(\.command))
      for title in titles where !title.hasPrefix("tessera-fleet") && title != "tessera-service" {
        #expect(described.contains(title), "\(title) has no example.")
      }
      for example in Example.all {
        let program = example.command.split(separator: " ").first.map(String.init) ?? ""
        #expect(!BuiltManual.has(program) || titles.contains(example.command), "\(example.command) is no command.")
      }
    }

    @Test("most need nothing")
    func share() {
      let runnable = Example.all.filter { $0.needs == nil }
      #expect(runnable.count > Example.all.count / 2)
    }

    @Test("do what they say", arguments: ExampleTests.runnable(inPassage: false))
    func run(_ example: Example) async throws { try await check(example) }

    @Test(
      "of tessera-passage do what they say",
      .enabled(if: getuid() != 0, "Root's folders are not those of HOME; .ci/run repeats this suite as another user."),
      .enabled(if: BuiltManual.isComplete || BuiltManual.has("tessera-passage"), "tessera-passage is not built."),
      arguments: ExampleTests.runnable(inPassage: true))
    func runPassage(_ example: Example) async throws { try await check(example) }

    private func check(_ example: Example) async throws {
      let home = try ExampleHome()
      let run = try await home.run(example)
      let text = run.output + run.errors
      let isRight = run.status == example.status || run.status == example.otherStatus
      #expect(isRight, "\(example.line) ended with \(run.status)\n\(text)")
      #expect(try example.matches(text), "\(example.line)\n\(text)")
      for file in example.files { #expect(!home.folder.bytes("work/\(file)").isEmpty, "\(example.line): \(file)") }
    }

    /// Those that need nothing but their program, which is in a package of its own.
    static func runnable(inPassage: Bool) -> [Example] {
      Example.all.filter { example in
        guard example.needs == nil, example.command.hasPrefix("tessera-passage") == inPassage else { return false }
        let isOfFleet = example.command.hasPrefix("tessera fleet")
        return !isOfFleet || BuiltManual.isComplete || BuiltManual.has("tessera-fleet")
      }
    }

    @Test("have an introduction that ends before the lines, and says what they need")
    func introductions() {
      let first = Example(command: "a", sentence: "Do it:", line: "a", needs: "b", status: 2)
      #expect(first.introduction == "Do it. This needs b. The exit status is 2.")
      #expect(Example(command: "a", sentence: "Do it:", line: "a").introduction == "Do it:")
      let second = Example(command: "a", sentence: "Without b, the exit status is 3:", line: "a", status: 3)
      #expect(second.introduction == second.sentence)
      for example in Example.all { #expect(example.sentence.hasSuffix(":"), "\(example.sentence)") }
    }
  }
}

extension Example: CustomTestStringConvertible {
  public var testDescription: String { line }

  /// Whether the text is what the example must print.
  func matches(_ text: String) throws -> Bool {
    guard !output.isEmpty else { return true }
    return text.contains(try Regex(output))
  }
}

/// A user without files, without a desktop and without a terminal, who types examples into a shell.
private struct ExampleHome {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func run(_ example: Example) async throws -> ProgramRun {
    // A preparation that fails is a failure of the example. `exec` makes the program the one that gets the signal.
    let script = """
      set -e
      mkdir -m 700 run
      cd work
      \(example.preparation)
      set +e
      \(example.end == .bySignal ? "exec " : "")\(example.line)
      """
    try FileManager.default.createDirectory(atPath: folder.file("work"), withIntermediateDirectories: true)
    let command = ["/bin/sh", "-c", "cd \"$HOME\"\n" + script]
    guard example.end == .bySignal else {
      // A new session has no terminal.
      let setsid = URL(fileURLWithPath: "/usr/bin/setsid")
      return try await RunningProgram(setsid, ["--wait"] + command, environment: environment).finish()
    }
    // Without `setsid`, which would get the signal itself.
    let program = try RunningProgram(
      URL(fileURLWithPath: command[0]), Array(command.dropFirst()), environment: environment)
    _ = await program.wait { (try? example.matches($0.output)) != false || !$0.isRunning }
    program.send(signal: SIGTERM)
    return await program.finish()
  }

  private var environment: [String: String] {
    let programs = ProgramRun.tessera.deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return [
      "HOME": folder.url.path, "PATH": "\(programs):\(path)", "TESTS": Fixtures.tests.path,
      "XDG_DATA_HOME": folder.file("data"), "XDG_CONFIG_HOME": folder.file("config"),
      "XDG_STATE_HOME": folder.file("state"), "XDG_CACHE_HOME": folder.file("cache"),
      "XDG_RUNTIME_DIR": folder.file("run"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/proc/nonexistent", "DISPLAY": "",
      "WAYLAND_DISPLAY": "", "LC_ALL": "C.UTF-8", "TESSERA_RERUNE_ID": "",
    ]
  }
}
