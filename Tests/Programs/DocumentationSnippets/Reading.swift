import TesseraInspection

/// Opens the chip with the MRZ and returns the verdict in one line.
func readPassport(
  on source: CardSource = .any(CardSelection(timeout: .seconds(60))), key: MRZInformation,
  trust: TrustMaterial? = nil
) async throws -> String {
  try await source.inspect(InspectionRequest(key: .mrz(key)), trust: trust).report.headline
}

/// The three ways to a key: the lines of the zone as typed or recognised, their parts, and the card access number.
func accessKeys(lines: String, number: String, birth: String, expiry: String, digits: String) throws -> [AccessKey] {
  [
    .mrz(try MRZInformation(typed: lines)),
    .mrz(try MRZInformation(documentNumber: number, dateOfBirth: birth, dateOfExpiry: expiry)),
    try AccessKey(cardAccessNumber: digits),
  ]
}

/// The holder's name, and the date of birth with its century; nil if a part of it is unknown.
func holder(of document: InspectedDocument) -> (name: String, birth: MRZDate?) {
  let data = document.report.document
  let birth = MRZDate(data.dateOfBirth, .birth, today: document.report.verifiedAt)
  return (name: "\(data.givenNames) \(data.surname)", birth: birth)
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

/// The readers that are connected, each as a source: a desk with several reads from all of them at once.
func allReaders() async throws -> [(name: String, source: CardSource)] {
  try await Readers.now().map { reader in (name: reader.name, source: reader.source(timeout: .seconds(60))) }
}

/// Prints what happens at the readers, and waits for the PC/SC service if it does not run.
func followReaders() async throws {
  for try await event in Readers.events(waitsForService: true) {
    switch event {
    case .readerAdded(let reader): print("\(reader.name) was connected.")
    case .readerRemoved(let name): print("\(name) was removed.")
    case .cardInserted(let reader, _): print("There is a card on \(reader).")
    case .cardRemoved(let reader): print("There is no card on \(reader).")
    case .serviceStopped: print("The PC/SC service has stopped.")
    }
  }
}

/// The example of `CardSource`.
func dump(of source: CardSource, key: MRZInformation) async throws -> DocumentDump {
  let dump = try await source.withCard { card in
    try await Inspection.read(card, InspectionRequest(key: .mrz(key)))
  }
  return dump
}
