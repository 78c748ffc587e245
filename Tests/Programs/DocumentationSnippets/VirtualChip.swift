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

/// Judges the dump of a virtual chip: of this program, or of `tessera passport read --virtual --out`.
func verifySpecimen(at path: String) throws -> Outcome {
  let saved = try SavedDump.load(path: path)
  let profile = saved.virtualProfile.flatMap(ChipProfile.init(named:)) ?? .bac
  return try saved.report(trust: SpecimenDocument(profile: profile).trust).outcome
}
