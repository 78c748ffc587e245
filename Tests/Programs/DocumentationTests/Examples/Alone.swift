import TesseraPassport
import TesseraReaders
import TesseraVerification
import TesseraVirtualChip

/// Reads the specimen of the virtual chip and prints the first line of the report.
func printSpecimen() async throws {
  let key = try MRZInformation(documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
  let source = CardSource.virtual(.bac, try SpecimenDocument().files)
  let dump = try await source.withCard { card in
    try await Inspection.read(card, InspectionRequest(key: .mrz(key)))
  }
  print(try Report(dump).headline)
}
