import Tessera
import TesseraCommandLine

/// The steps and the result of `tessera setup` as text and as JSON.
enum SetupOutput {
  /// What a step corrects, and how it will run.
  static func lines(_ step: SetupStep, command: String, elevation: RootCommand.Elevation) -> String {
    var lines: [String] = []
    for finding in step.findings {
      let mark = step.isOptional ? "--" : "!!"
      lines.append("\(mark)  \(Terminal.printable(finding.title)): \(Terminal.printable(finding.cause))")
      if let remedy = finding.remedy { lines.append("    " + Terminal.printable(remedy)) }
    }
    lines.append("    \(step.isForRoot ? manner(elevation) : "As you:")")
    lines.append("      " + Terminal.printable(command))
    return lines.joined(separator: "\n")
  }

  private static func manner(_ elevation: RootCommand.Elevation) -> String {
    switch elevation {
    case .isRoot: "As root, which you are:"
    case .sudo: "As root, by sudo with your password:"
    case .su: "As root, by su with the password of root:"
    case .pkexec: "As root, by a dialogue of the desktop:"
    }
  }

  /// What was done, and what the user has to do.
  static func summary(_ report: SetupReport) -> String {
    var lines = report.results.map { result in
      "\(mark(result.outcome))  \(Terminal.printable(result.command))\(result.status.map { ending($0) } ?? "")"
    }
    if !lines.isEmpty { lines.insert("What was done:", at: 0) }
    let problems = report.problems
    if report.isInterrupted {
      lines.append("Interrupted. `tessera doctor` shows the present state.")
    } else if problems.isEmpty {
      lines.append("No problem is left.")
    } else {
      lines.append(problems.count == 1 ? "You have to see to this:" : "You have to see to these:")
      lines.append(FindingOutput.lines(problems))
    }
    return (lines + report.afterwards).joined(separator: "\n")
  }

  private static func ending(_ status: Int32) -> String { status == 0 ? "" : " (exit status \(status))" }

  private static func mark(_ outcome: SetupReport.Outcome) -> String {
    switch outcome {
    case .done: Terminal.styled("done", .green) + "       "
    case .failed: Terminal.styled("failed", .red) + "     "
    case .declined: "declined   "
    case .skipped: "skipped    "
    case .interrupted: "interrupted"
    }
  }

  static func object(_ report: SetupReport, elevation: RootCommand.Elevation) -> JSONValue {
    [
      "steps": .array(report.results.map { object($0, elevation) }),
      "problems": .array(report.problems.map { FindingOutput.object($0) }),
      "afterwards": .array(report.afterwards.map(JSONValue.string)), "interrupted": .bool(report.isInterrupted),
    ]
  }

  private static func object(_ result: SetupReport.Result, _ elevation: RootCommand.Elevation) -> JSONValue {
    [
      "findings": .array(result.step.findings.map { .string($0.id) }), "command": .string(result.command),
      "root": .bool(result.step.isForRoot), "by": result.step.isForRoot ? .string(elevation.rawValue) : nil,
      "outcome": .string(result.outcome.rawValue), "status": result.status.map { .integer(Int64($0)) } ?? nil,
    ]
  }
}

/// The doctor's findings as text and as JSON.
enum FindingOutput {
  static func object(_ findings: [Finding]) -> JSONValue {
    ["findings": .array(findings.map(object))]
  }

  static func object(_ finding: Finding) -> JSONValue {
    [
      "id": .string(finding.id), "status": .string(finding.status.rawValue), "title": .string(finding.title),
      "cause": .string(finding.cause), "remedy": finding.remedy.map(JSONValue.string) ?? nil,
      "command": finding.command.map(JSONValue.string) ?? nil,
    ]
  }

  /// One line per finding with aligned titles, followed by its remedy and its command. A command is on a separate line,
  /// to be copied.
  static func lines(_ findings: [Finding]) -> String {
    let width = findings.map { title($0).count }.max() ?? 0
    return findings.flatMap { finding in
      let name = title(finding).padded(to: width)
      var lines = ["\(mark(finding.status))  \(name)  \(Terminal.printable(finding.cause))"]
      let margin = String(repeating: " ", count: width + 6)
      if let remedy = finding.remedy { lines.append(margin + Terminal.printable(remedy)) }
      if let command = finding.command { lines.append("      " + Terminal.printable(command)) }
      return lines
    }.joined(separator: "\n")
  }

  /// The same without remedies and commands.
  static func causes(_ findings: [Finding]) -> String {
    let width = findings.map { title($0).count }.max() ?? 0
    return findings.map { finding in
      "\(mark(finding.status))  \(title(finding).padded(to: width))  \(Terminal.printable(finding.cause))"
    }.joined(separator: "\n")
  }

  private static func title(_ finding: Finding) -> String { Terminal.printable(finding.title) }

  private static func mark(_ status: Finding.Status) -> String {
    switch status {
    case .ok: Terminal.styled("ok", .green)
    case .problem: Terminal.styled("!!", .red)
    case .information: Terminal.styled("--", .dim)
    }
  }
}
