import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine

struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Corrects what the doctor finds, and asks before each step.",
    discussion: """
      Before a step it shows what is wrong, the exact command, and whether that runs as root and how. A step that \
      fails does not stop the others. Afterwards it examines the machine again and shows what you have to do.

      --yes does not ask. It leaves out what not every machine needs, such as a service for fingerprints. Without \
      --yes and without a terminal it changes nothing.

      Exit status: 0 if no problem is left; 2 if it would have to ask and cannot; 3 if a step failed or a problem is \
      left; 130 or 143 if a signal ended it.

      Examples:
        tessera setup
        tessera setup --yes --json
      """)

  @Flag(name: [.customLong("yes"), .customShort("y")], help: "Run all steps without questions.") var yes = false

  @Flag(help: "Print one JSON object: what ran, and how it ended.") var json = false

  func run() async throws {
    // Once: a job can come to the foreground meanwhile, and a step without a question needs --yes.
    let asks = !yes && Self.canAsk
    let setup = Self.setup(isUnattended: !asks, json: json)
    let findings = try await setup.diagnose()
    if !yes, !asks { try refuse(setup, findings) }
    let report = try await setup.run(from: findings)
    try StandardOutput.write(
      json ? SetupOutput.object(report, elevation: setup.elevation).text : SetupOutput.summary(report))
    if let invoker = Account.invoker {
      Note.write("This was the view of root. Run `tessera setup` as \(invoker), without sudo, for that account.")
    }
    if report.isInterrupted { throw ExitCode(ErrorOutput.status(of: .cancelled)) }
    if !report.isSuccess { throw ExitCode(FailureKind.serviceUnavailable.exitStatus) }
  }

  /// A script has a terminal perhaps, but nobody who expects a question.
  private static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && ControllingTerminal()?.isForeground == true }

  /// Shows the steps and ends the command, if there is a question to ask. Optional steps are no reason.
  private func refuse(_ setup: SetupRun, _ findings: [Finding]) throws {
    let report = SetupReport(findings: findings)
    let steps = setup.remaining(report).filter { !$0.isOptional }
    guard !steps.isEmpty else { return }
    if !json { for step in steps { try setup.show(step, setup.line(of: step, report)) } }
    throw Failure(
      .usage, "There is no terminal for questions, so nothing was changed.",
      remedy: "Run it on a terminal, or use --yes to run all steps.")
  }

  private static func setup(isUnattended: Bool, json: Bool) -> SetupRun {
    let elevation = RootCommand.setupElevation
    return SetupRun(
      elevation: elevation, isUnattended: isUnattended,
      diagnose: {
        try await Interruption.cancelling {
          let findings = await Doctor.findings()
          // The checks that a signal ended say that they were late, which is no reason for a step.
          try Task.checkCancellation()
          return findings
        }
      },
      show: { step, command in
        let text = SetupOutput.lines(step, command: command, elevation: elevation)
        if json { Note.writeLine(text) } else { try StandardOutput.write(text) }
      },
      ask: {
        try await Interruption.cancelling {
          // What was typed before the question is no answer to it.
          ForegroundTerminal()?.discardInput()
          guard let terminal = ControllingTerminal() else { return false }
          return try terminal.confirm("    Run this?")
        }
      },
      perform: { line in try await StepProcess.run(line, output: json ? STDERR_FILENO : STDOUT_FILENO) })
  }
}
