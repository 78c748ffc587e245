import ArgumentParser
import Tessera
import TesseraCommandLine

struct SealCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seal", abstract: "Verifies the signed barcodes of travel documents.",
    discussion: """
      A visa, an emergency travel document, a residence permit or a permission to travel can carry a barcode that the \
      issuing country signed: a visible digital seal, a VDS-NC or a barcode of ICAO's datastructure.

      Example:
        tessera seal verify visa.jpg
      """,
    subcommands: [Verify.self])
}
