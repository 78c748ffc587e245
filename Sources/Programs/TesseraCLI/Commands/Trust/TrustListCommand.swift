import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine

struct TrustListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the imported certificates by country.",
    discussion: """
      Example:
        tessera trust list --country DE
      """)

  @Option(
    help: ArgumentHelp("List one country only, by its two letters, or as documents name it: D.", valueName: "code"))
  var country: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let code = country.map(CountryCode.ofCertificates)
    let list = TrustListOutput(try TrustStore().load(), country: code)
    if json { return try StandardOutput.write(list.object.text) }
    guard !list.isEmpty else {
      let country = code.map { " of \(Terminal.printable($0))" } ?? ""
      return Note.write("No certificates\(country) are imported. Run `tessera trust import --help` to import some.")
    }
    try StandardOutput.write(list.text)
  }
}
