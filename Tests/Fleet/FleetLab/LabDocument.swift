import PassportTestSupport
package import TesseraPassport
package import TesseraReaders
package import TesseraSmartCard
package import TesseraVerification
package import TesseraVirtualChip
internal import TestSupport

/// A specimen with a virtual chip, and what its country publishes.
package struct LabDocument: Sendable {
  package let profile: ChipProfile
  package let document: SpecimenDocument
  package let trust: TrustMaterial

  package init(_ profile: ChipProfile) throws {
    self.profile = profile
    document = try SpecimenDocument(profile: profile)
    trust = TrustMaterial(of: document)
  }

  /// The access key from the data page.
  package static func key() throws -> AccessKey {
    let content = SpecimenDocument.content
    return .mrz(
      try MRZInformation(
        documentNumber: content.documentNumber, dateOfBirth: content.dateOfBirth, dateOfExpiry: content.dateOfExpiry))
  }

  /// A request with the access key, as a desk makes it.
  package static func request(dataGroups: Set<Int>? = nil) throws -> InspectionRequest {
    InspectionRequest(key: try key(), dataGroups: dataGroups)
  }

  /// A fresh chip of this document.
  package var source: CardSource { .virtual(profile, document.files) }

  /// A fresh chip behind a channel that `wrap` adds.
  package func source(
    _ wrap: @escaping @Sendable (any CardChannel) -> any CardChannel
  ) -> CardSource {
    CardSource { [profile, document] _ in
      let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
      return card.replacing(channel: wrap(card.channel))
    }
  }

  /// The report of a read at this machine, without a fleet.
  package func localReport(_ request: InspectionRequest) async throws -> Report {
    let dump = try await source.withCard { try await Inspection.read($0, request) }
    return try Report(dump, trust: trust)
  }
}
