internal import FoundationEssentials
package import TesseraReaders
package import TesseraSmartCard
package import TesseraVirtualChip

/// A document that desks read: also those of another process, since it can be saved.
package struct LoadDocument: Sendable {
  package let profile: ChipProfile
  private let files: ChipFiles

  init(_ issued: LabDocument) {
    profile = issued.profile
    files = issued.document.files
  }

  /// A fresh chip of this document.
  package var source: CardSource { .virtual(profile, files) }

  /// A fresh chip behind a channel that `wrap` adds.
  package func source(_ wrap: @escaping @Sendable (any CardChannel) -> any CardChannel) -> CardSource {
    CardSource { [profile, files] _ in
      let card = VirtualCard.card(try Chip(profile: profile, files: files))
      return card.replacing(channel: wrap(card.channel))
    }
  }

  // MARK: - Saving

  /// Writes the files of the chip into a new folder, which the profile names.
  package func save(in folder: String) throws {
    let path = Self.path(profile, folder)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let contents =
      files.all.map { ($0.name, files[$0] ?? []) } + files.masterFiles.map { ($0.key.name, $0.value) }
    for (name, bytes) in contents { try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
  }

  /// Reads a saved document.
  package init(_ profile: ChipProfile, in folder: String) throws {
    self.profile = profile
    files = try ChipFiles(folder: URL(fileURLWithPath: Self.path(profile, folder)))
  }

  private static func path(_ profile: ChipProfile, _ folder: String) -> String { "\(folder)/\(profile.name)" }
}
