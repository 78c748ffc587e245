import TesseraPassport
import TesseraReaders
import TesseraVerification
import TesseraVirtualChip

// Reads the virtual chip and prints what the checks establish.
let document = try SpecimenDocument(profile: .bac)
let key = try MRZInformation(documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
let dump = try await CardSource.virtual(.bac, document.files).withCard { card in
  try await Inspection.read(card, InspectionRequest(key: .mrz(key)))
}
print(try Report(dump).headline)
print(try dump.zone().primaryIdentifier)
