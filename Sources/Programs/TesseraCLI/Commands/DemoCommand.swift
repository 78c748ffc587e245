import ArgumentParser
import Tessera
import TesseraCommandLine

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Reads the built-in specimen passport. Requires no hardware.",
    discussion: """
      Each run issues a new specimen. Its holder is fictitious, and the keys of its issuer are public.

      Example:
        tessera demo
      """)

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let specimen = try SpecimenDocument()
    let files = specimen.files
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let dump = try await DocumentRead(source: .virtual(.bac, files), request: request, trace: nil).run()
    let report = try Report(dump, trust: TrustMaterial(testCountry: specimen.country, provesAuthenticity: true))
    try ReportOutput(report: report, portrait: dump.portrait).show(asJSON: json)
    if !report.isSound { throw ExitCode(FailureKind.checkFailed.exitStatus) }
  }
}
