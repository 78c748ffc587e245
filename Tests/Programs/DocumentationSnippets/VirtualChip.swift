import TesseraInspection

/// Reads the specimen of a profile by PACE with its card access number.
func readSpecimen() async throws -> DocumentDump {
  let profile = ChipProfile(named: "germany-2023") ?? .bac
  let document = try SpecimenDocument(profile: profile)
  let source = CardSource.virtual(profile, document.files)
  let key = try AccessKey(cardAccessNumber: ChipProfile.specimenCardAccessNumber)
  return try await source.withCard { card in
    try await Inspection.read(card, InspectionRequest(key: key))
  }
}
