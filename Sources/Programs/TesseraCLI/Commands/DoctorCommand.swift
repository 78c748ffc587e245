import ArgumentParser
import Tessera
import TesseraCommandLine

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Diagnoses readers, daemons, permissions and key stores.",
    discussion: """
      Each line is one finding: "ok", "!!" for a problem, "--" for information,
      such as a device that is not connected. A problem includes a shell command
      that corrects it. The doctor itself changes nothing.

      Exit status: 0 if there is no problem, 3 if there is one.

      Examples:
        tessera doctor
        tessera doctor --json
        tessera doctor --rules nfc    # the udev rules for NFC readers
        tessera doctor --policy       # the polkit action for the password
        tessera doctor --fleet nats://127.0.0.1:4222    # a fleet's servers
      """)

  @Flag(help: "Print one JSON object.") var json = false

  @Option(help: ArgumentHelp("Print these udev rules instead of findings: haptics or nfc.", valueName: "kind"))
  var rules: RuleFile?

  @Flag(help: "Print the polkit action of `tessera serve --allow-password` instead of findings.")
  var policy = false

  @Option(
    name: .customLong("fleet"), parsing: .singleValue,
    help: ArgumentHelp(
      "Check these servers of a fleet instead of this machine. Repeatable, or separated by commas.",
      valueName: "url,…"))
  var servers: [String] = []

  func run() async throws {
    if policy { return try StandardOutput.write(bytes: PolicyFile.contents) }
    if let rules { return try StandardOutput.write(bytes: rules.contents) }
    let servers = servers.flatMap { $0.split(separator: ",").map { String($0.trimmingSpaces) } }
    let findings = try await Interruption.cancelling {
      servers.isEmpty ? await Doctor.findings() : await Doctor.findings(fleet: servers)
    }
    try StandardOutput.write(json ? FindingOutput.object(findings).text : FindingOutput.lines(findings))
    if findings.contains(where: { $0.status == .problem }) { throw ExitCode(FailureKind.serviceUnavailable.exitStatus) }
  }
}

extension RuleFile: ExpressibleByArgument {}
