import TesseraInspection

/// Opens the chip with the MRZ and returns the verdict in one line.
func readPassport(
  on source: CardSource = .any(CardSelection(timeout: .seconds(60))), key: MRZInformation,
  trust: TrustMaterial? = nil
) async throws -> String {
  try await source.inspect(InspectionRequest(key: .mrz(key)), trust: trust).report.headline
}

/// The key on the data page: document number, date of birth and date of expiry (YYMMDD).
func printedKey() throws -> MRZInformation {
  try MRZInformation(documentNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
}

/// Reads a document, judges it and prints what happens.
func readWithProgress(
  _ source: CardSource, key: AccessKey, trust: TrustMaterial? = nil
) async throws -> InspectedDocument {
  try await source.inspect(InspectionRequest(key: key), trust: trust) { progress in
    switch progress {
    case .reading(let file, let bytes, let total): print("\(file.name): \(bytes) of \(total) bytes")
    case .lost: print("Place the document on the reader again.")
    default: break
    }
  } onWaiting: {
    print("Place the document on the reader.")
  }
}

/// Reads a document, and returns what the program shows.
func readOrExplain(_ source: CardSource, key: MRZInformation, trust: TrustMaterial? = nil) async -> String {
  do {
    return try await source.inspect(InspectionRequest(key: .mrz(key)), trust: trust).report.headline
  } catch PassportError.accessDenied(let access, let status) {
    return "\(access.rawValue) was refused with \(status). Compare the number and both dates with the document."
  } catch {
    let failure = Failure(error)
    switch failure.kind {
    case .accessDenied: return "PACE was refused. Compare the number and both dates with the document."
    case .noCard: return "Place the document on the reader."
    default: return "\(failure.cause) \(failure.remedy ?? "")"
    }
  }
}

/// Takes fields and the portrait from a dump.
func fields(of dump: DocumentDump) throws -> (name: String, portrait: [UInt8]?) {
  let zone = try dump.zone()
  return (name: "\(zone.secondaryIdentifier) \(zone.primaryIdentifier)", portrait: dump.portrait?.data)
}

/// Waits 20 seconds for a card on the PC/SC reader whose name contains "ACR1252".
func cardOnOneReader() -> CardSource {
  .pcsc(CardSelection(readerName: "ACR1252", timeout: .seconds(20)))
}

/// The example of `CardSource`.
func dump(of source: CardSource, key: MRZInformation) async throws -> DocumentDump {
  let dump = try await source.withCard { card in
    try await Inspection.read(card, InspectionRequest(key: .mrz(key)))
  }
  return dump
}
