import ArgumentParser
import RampKitFlow
import Tessera
import TesseraCommandLine

/// `tessera flow check`.
struct FlowCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Says what is wrong in the document of a flow.",
    discussion: """
      Each line names the place as compilers do: file, line, column. The exit status is 0 without errors, and 5 with one;
      warnings do not count.

      Examples:
        tessera flow check welcome.json
        tessera flow check - --json < welcome.json
      """)

  @Argument(help: ArgumentHelp("The document of the flow, or - for standard input.", valueName: "file"))
  var file: String

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let check = FlowCheck(try InputFile(path: file).read(upTo: FlowLimits.documentSize + 1))
    try StandardOutput.write(json ? Self.json(check).text : text(check))
    if check.hasErrors { throw ExitCode(FailureKind.checkFailed.exitStatus) }
  }

  private func text(_ check: FlowCheck) -> String {
    let lines = check.findings.map { finding in
      let place = finding.problem.place.isEmpty ? "" : " (\(finding.problem.place))"
      return PrintableText.of(
        "\(file):\(finding.position.line):\(finding.position.column): \(finding.problem.severity.rawValue): "
          + "\(finding.problem.message)\(place)")
    }
    guard let flow = check.flow else { return lines.joined(separator: "\n") }
    let parts = [Self.count(flow.screens.count, "screen"), Self.count(flow.variables.count, "variable")]
    return (lines + ["\(file): a flow with \(parts.joined(separator: " and "))"]).joined(separator: "\n")
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private static func json(_ check: FlowCheck) -> JSONValue {
    let problems = check.findings.map { finding -> JSONValue in
      [
        "severity": .string(finding.problem.severity.rawValue), "message": .string(finding.problem.message),
        "path": .string(finding.problem.place), "line": .integer(Int64(finding.position.line)),
        "column": .integer(Int64(finding.position.column)),
      ]
    }
    return [
      "valid": .bool(!check.hasErrors), "screens": check.flow.map { .integer(Int64($0.screens.count)) } ?? .null,
      "problems": .array(problems),
    ]
  }
}
