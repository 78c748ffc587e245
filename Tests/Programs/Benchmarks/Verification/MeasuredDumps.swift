import Foundation
import Tessera

/// Dumps of the virtual chip, each of a document that was issued for itself: without keys of a chip, and with Chip
/// Authentication and Active Authentication in turn.
struct MeasuredDumps {
  struct Entry {
    let dump: SavedDump
    /// In one file.
    let file: String
    let alone: OpenSSLSignatures
  }

  let folder: String
  let entries: [Entry]
  /// One for all: the authority has the same key whenever it issues its certificate again.
  let trust: TrustMaterial

  static let count = 100

  init(_ parent: String) async throws {
    folder = parent + "/dumps"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    guard var both = ChipProfile(named: "united-kingdom-2021") else { throw OpenSSLFailed() }
    both.activeAuthentication = .ecdsa(AgreementParameters(12, .explicit), .sha256)
    var entries: [Entry] = []
    var trust: TrustMaterial?
    for index in 0..<Self.count {
      let profile = index.isMultiple(of: 2) ? .bac : both
      let specimen = try SpecimenDocument(profile: profile)
      let key = specimen.files.mrzInformation.map(AccessKey.mrz)
      let read = try await CardSource.virtual(profile, specimen.files).withCard { card in
        try await Inspection.read(card, InspectionRequest(key: key))
      }
      let saved = try SavedDump(read, report: try Report(read))
      let file = "\(folder)/\(index).tessera"
      try saved.write(to: file)
      trust = trust ?? TrustMaterial(testCountry: specimen.country, provesAuthenticity: true)
      entries.append(
        Entry(
          dump: saved, file: file, alone: try OpenSSLSignatures(read, countrySigner: specimen.countrySigner)))
    }
    guard let trust else { throw OpenSSLFailed() }
    self.entries = entries
    self.trust = trust
    try TrustStore(folder: folder + "/trust").update { $0 = trust }
  }

  /// Verifies a dump as the program does.
  static func verify(_ path: String, _ trust: TrustMaterial) throws {
    guard try SavedDump.load(path: path).report(trust: trust).outcome == .genuine else { throw NotGenuine() }
  }

  struct NotGenuine: Error {}
}
