import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraReportPage

struct PassportReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes the report on a stored read as one page of HTML.",
    discussion: """
      The page is one file without scripts and network access. It prints on one sheet of A4. It contains personal data.

      Example:
        tessera passport read --virtual --out dump && tessera passport report dump -o report.html
      """)

  @Argument(help: ArgumentHelp("The folder that `tessera passport read --out` wrote.", valueName: "dump"))
  var path: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the page to this file, readable by its owner only (default: -, stdout).", valueName: "file|-"))
  var output = "-"

  func run() throws {
    if output != "-" { try PrivateFile.checkWritable(output) }
    let dump = try load(path)
    let page = ReportPage(try Report(dump), dump, software: "tessera \(TesseraVersion.current)").html()
    guard output != "-" else { return try StandardOutput.write(bytes: Array(page.utf8)) }
    try PrivateFile.write(page.utf8, to: URL(fileURLWithPath: output))
  }

  /// The files and the evidence of a folder.
  private func load(_ path: String) throws -> DocumentDump {
    let folder = URL(fileURLWithPath: path)
    let files = try ChipFiles(folder: folder)
    let evidence = folder.appendingPathComponent("evidence.json").path
    let contents =
      files.all.compactMap { file in files[file].map { (file: file, bytes: $0) } }
      + [files.masterFiles[.cardSecurity].map { (file: .cardSecurity, bytes: $0) }].compactMap { $0 }
    guard FileManager.default.fileExists(atPath: evidence) else { return DocumentDump(files: contents) }
    let json = String(decoding: try InputFile(path: evidence).read(upTo: 1 << 20), as: UTF8.self)
    return DocumentDump(files: contents, evidence: try ChipEvidence(json: json))
  }
}
