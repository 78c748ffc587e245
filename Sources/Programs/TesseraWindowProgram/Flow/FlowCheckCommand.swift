import ArgumentParser
import TesseraBridge
import TesseraCommandLine
import TesseraCore
import TesseraFlowDocument

/// `tessera flow check`.
struct FlowCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Says what is wrong in the document of a flow.",
    discussion: """
      A flow has pages (RampKit) or native screens (FCKOnboarding); the document tells which.

      Each line names the place as compilers do: file, line, column. The exit status is 0 without errors, and 5 with \
      one; warnings do not count: they are about what can be shown but will not work.

      Examples:
        tessera flow check welcome.json
        tessera flow check - --json < welcome.json
      """)

  @Argument(
    help: ArgumentHelp("The document of the flow, or - for standard input.", valueName: "file"), completion: .file())
  var file: String

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    // Places are those that an editor shows, which hides a byte order mark.
    let document = JSONValue.withoutMark(try InputFile(path: file).read(upTo: CheckedFlow.documentSize + 1))
    let check = CheckedFlow(Array(document))
    try StandardOutput.write(json ? Self.json(check).text : text(check))
    if check.hasErrors { throw ExitCode(FailureKind.checkFailed.exitStatus) }
  }

  private func text(_ check: CheckedFlow) -> String {
    let lines = check.findings.map { finding in
      let place = finding.problem.place.isEmpty ? "" : " (\(finding.problem.place))"
      return PrintableText.of(
        "\(file):\(finding.position.line):\(finding.position.column): \(finding.problem.severity.rawValue): "
          + "\(finding.problem.message)\(place)")
    }
    guard let size = check.size else { return lines.joined(separator: "\n") }
    let parts = [Self.count(size.screens, "screen"), Self.count(size.variables, "variable")]
    return (lines + ["\(file): a flow with \(parts.joined(separator: " and "))"]).joined(separator: "\n")
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private static func json(_ check: CheckedFlow) -> JSONValue {
    let problems = check.findings.map { finding -> JSONValue in
      [
        "severity": .string(finding.problem.severity.rawValue), "message": .string(finding.problem.message),
        "path": .string(finding.problem.place), "line": .integer(Int64(finding.position.line)),
        "column": .integer(Int64(finding.position.column)),
      ]
    }
    return [
      "kind": .string(check.kind.rawValue), "valid": .bool(!check.hasErrors),
      "screens": check.size.map { .integer(Int64($0.screens)) } ?? .null, "problems": .array(problems),
    ]
  }
}
