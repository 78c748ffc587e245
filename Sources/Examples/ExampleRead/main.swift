// Reads a passport and prints the verdict: the specimen of the virtual chip, or the document on the reader.
//
//   swift run ExampleRead
//   swift run ExampleRead DOCUMENT_NUMBER DATE_OF_BIRTH DATE_OF_EXPIRY    as printed in it; dates are YYMMDD
//
// The verdict on a document is by the country certificates of `tessera trust import`.
import Foundation
import TesseraInspection

/// Reads the specimen, which a test country has issued for this run.
func readSpecimen() async throws -> InspectedDocument {
  let specimen = try SpecimenDocument()
  let key = try MRZInformation(documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
  return try await CardSource.virtual(.bac, specimen.files).inspect(
    InspectionRequest(key: .mrz(key)), trust: specimen.trust)
}

/// Waits a minute for a document on any reader.
func readDocument(_ fields: [String]) async throws -> InspectedDocument {
  let key = try MRZInformation(documentNumber: fields[0], dateOfBirth: fields[1], dateOfExpiry: fields[2])
  return try await CardSource.any(CardSelection(timeout: .seconds(60))).inspect(
    InspectionRequest(key: .mrz(key)), onWaiting: { print("Place the document on the reader.") })
}

do {
  let fields = Array(CommandLine.arguments.dropFirst())
  let document = try await fields.count == 3 ? readDocument(fields) : readSpecimen()
  print(document.report.headline)
  let holder = document.report.document
  print("\(holder.secondaryIdentifier) \(holder.primaryIdentifier), \(holder.nationality)")
  for check in document.report.checks { print("\(check.id.rawValue): \(check.status.rawValue)") }
} catch {
  let failure = Failure(error)
  print(failure.cause, failure.remedy ?? "")
  exit(1)
}
