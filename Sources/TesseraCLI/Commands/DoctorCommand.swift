import ArgumentParser
import Foundation
import Tessera

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Looks for what is wrong with readers, daemons, permissions and key stores.",
    discussion: """
      Every line is something that was looked at: ok, !! for a problem, -- for
      what is only told, such as a device that is not there. A problem comes with
      the command that mends it, to be pasted into a shell. Nothing is changed.

      Exit status: 0 when there is no problem, 3 when there is one.

      Examples:
        tessera doctor
        tessera doctor --json
        tessera doctor --rules nfc    # the udev rules for NFC readers
      """)

  @Flag(help: "Print one JSON object.") var json = false

  @Option(help: ArgumentHelp("Print these udev rules, and look at nothing.", valueName: "kind"))
  var rules: RuleFile?

  func run() async throws {
    if let rules { return try StandardOutput.write(bytes: Data(rules.contents)) }
    let findings = try await Interruption.cancelling { await Doctor.findings() }
    try StandardOutput.write(json ? FindingOutput.object(findings).text : FindingOutput.lines(findings))
    if findings.contains(where: { $0.status == .problem }) { throw ExitCode(FailureKind.serviceUnavailable.exitStatus) }
  }
}

extension RuleFile: ExpressibleByArgument {}
