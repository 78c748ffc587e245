import TesseraInspection

/// Reads the specimen of the virtual chip and prints the verdict.
func printSpecimen() async throws {
  let specimen = try SpecimenDocument()
  let key = try MRZInformation(documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
  let source = CardSource.virtual(.bac, specimen.files)
  let document = try await source.inspect(InspectionRequest(key: .mrz(key)), trust: specimen.trust)
  print(document.report.headline)
}
