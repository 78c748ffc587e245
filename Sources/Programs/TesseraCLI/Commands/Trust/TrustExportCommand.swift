import ArgumentParser
import Tessera
import TesseraCommandLine

struct TrustExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes the imported certificates and revocation lists as PEM.",
    discussion: """
      Another machine imports the file with `tessera trust import`, and OpenSSL reads it, too.

      Example:
        tessera trust export --country DE -o germany.pem
      """)

  @Option(help: ArgumentHelp("One country only, by its two letters, or as documents name it: D.", valueName: "code"))
  var country: String?

  @Flag(help: "The deviation lists instead.")
  var deviationLists = false

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file; - or none for standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  func run() async throws {
    try DistinctFiles.check(outputs: [output], inputs: [TrustStore().folder])
    let material = try TrustStore().load()
    let code = country.map(CountryCode.ofCertificates)
    func isWanted(_ country: String?) -> Bool { code == nil || country == code }
    if deviationLists {
      return try write(
        material.deviationLists.filter { isWanted($0.list.country) }.map { $0.list.pem() + "\n" })
    }
    let certificates =
      (material.countrySigners.map(\.certificate) + material.documentSigners.map(\.certificate))
      .filter { isWanted($0.country) }
    let lists = material.revocationLists.map(\.list).filter { isWanted($0.country) }
    try write(
      certificates.map { "# \(Terminal.printable($0.subject))\n\($0.pem())\n" } + lists.map { $0.pem() + "\n" })
  }

  private func write(_ blocks: [String]) throws {
    guard !blocks.isEmpty else {
      let what = deviationLists ? "deviation list" : "certificate"
      throw Failure(
        .usage, "No \(what)\(country.map { " of \($0.uppercased())" } ?? "") is imported.",
        remedy: "Import a file that the authority publishes first.")
    }
    let file = try OutputFile(output)
    for block in blocks { try file.write(Array(block.utf8)) }
    try file.finish(.pem)
  }
}
