import Foundation

/// A shell in which `$T` is `tessera` and `$D` is a private folder with all state. Prompts are impossible: there is no
/// terminal and no session bus.
public struct KeyShell: Sendable {
  public let folder: TemporaryFolder
  private let environment: [String: String]

  public init(_ environment: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    self.environment = [
      "T": ProgramRun.tessera.path, "D": folder.url.path, "XDG_DATA_HOME": folder.file("data"),
      "XDG_CONFIG_HOME": folder.file("config"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/proc/nonexistent",
      "DISPLAY": "", "WAYLAND_DISPLAY": "", "LC_ALL": "C.UTF-8",
    ].merging(environment) { _, new in new }
  }

  public func run(_ script: String, timeout: Double = 180) async throws -> ProgramRun {
    // A new session has no terminal.
    try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/setsid"), ["--wait", "/bin/bash", "-c", "cd \"$D\"\n" + script],
      environment: environment
    ).finish(within: timeout)
  }

  /// Runs a shell command on a new terminal and types `answers`, each after the terminal shows a part of its question.
  ///
  /// - Returns: The output of the terminal, and the exit status.
  public func runOnTerminal(
    _ command: String, answers: [(question: String, answer: String)], timeout: Double = 120
  ) async throws -> ProgramRun {
    let keyboard = Pipe()
    let program = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/script"), ["-qec", "cd \"$D\"; \(command)", "/dev/null"],
      standardInput: keyboard, environment: environment)
    for (question, answer) in answers {
      guard await program.wait(within: 180, until: { $0.output.contains(question) || !$0.isRunning }) else { break }
      try keyboard.fileHandleForWriting.write(contentsOf: Data(answer.utf8))
    }
    return await program.finish(within: timeout)
  }
}
