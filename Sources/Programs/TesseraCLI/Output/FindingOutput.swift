import Tessera
import TesseraCommandLine

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
