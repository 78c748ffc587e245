import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine
import TesseraReportPage

struct PassportReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes the report on a stored read as one page of HTML.",
    discussion: """
      The page is one file without scripts and network access. It prints on one sheet of A4. It contains personal data.

      Example:
        tessera passport read --virtual --out dump && tessera passport report --virtual dump -o report.html
      """)

  @Argument(help: ArgumentHelp("The folder or file that `tessera passport read --out` wrote.", valueName: "dump"))
  var path: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the page to this file, readable by its owner only; - for standard output.", valueName: "file|-"))
  var output = "-"

  @OptionGroup(title: "Verification") var verification: VerificationOptions

  func run() async throws {
    try DistinctFiles.check(outputs: [output], inputs: [path, TrustStore().folder] + verification.trust.trust)
    if output != "-" { try PrivateFile.checkWritable(output) }
    let saved = try SavedDump.load(path: path)
    let report = try await verification.verifier()(saved)
    let page = ReportPage(report, saved.dump, software: saved.software ?? "tessera \(TesseraVersion.current)").html()
    guard output != "-" else { return try StandardOutput.write(bytes: Array(page.utf8)) }
    try PrivateFile.write(page.utf8, to: URL(fileURLWithPath: output))
  }
}
