package import ArgumentParser
import FoundationEssentials
package import Tessera
internal import TesseraDurableFiles

/// The reader, or the virtual chip, that provides the card.
package struct CardOptions: ParsableArguments {
  /// The name of the profile of `--virtual` alone.
  package static let standardProfile = ChipProfile.bac.name

  package init() {}

  @Option(
    help: ArgumentHelp("The PC/SC reader; a unique part of its name is enough.", valueName: "name"),
    completion: NameCompletion.readers)
  package var reader: String?

  @Option(
    help: ArgumentHelp(
      "The libnfc device, for example pn532_uart:/dev/ttyUSB0. `tessera readers` lists USB devices.",
      valueName: "connstring"))
  package var nfc: String?

  @Option(
    name: .customLong("virtual"), defaultAsFlag: ChipProfile.bac.name, parsing: .next,
    help: ArgumentHelp("Use the built-in virtual chip instead of a reader.", valueName: "profile"),
    completion: NameCompletion.profiles)
  package var virtualProfile: String?

  @Option(
    help: ArgumentHelp("With --virtual: use the elementary files in this folder.", valueName: "dir"),
    completion: .directory)
  package var files: String?

  @Option(
    help: ArgumentHelp(
      """
      How long to wait for a document (default: 60; `serve`: 110), and for its return if it is removed during the read \
      (default: 10).
      """,
      valueName: "seconds"))
  package var wait: Int?

  package func validate() throws {
    if files != nil, virtualProfile == nil { throw ValidationError("--files requires --virtual.") }
    if [reader, nfc, virtualProfile].count(where: { $0 != nil }) > 1 {
      throw ValidationError("--reader, --nfc and --virtual are mutually exclusive.")
    }
    if let wait, !(0...86_400).contains(wait) {
      throw ValidationError("--wait must be a number of seconds from 0 to 86400.")
    }
  }

  /// The profile of `--virtual`. The parser takes any word behind the option for its value, which is optional.
  private static func profile(_ word: String) throws -> ChipProfile {
    let isPath = FileManager.default.fileExists(atPath: word)
    guard ChipProfile(named: word) == nil, isPath || word.contains(where: "./:{".contains) else {
      return try ChipOptions.profile(word)
    }
    if isPath, word.hasSuffix(SavedDump.fileNameExtension) {
      throw Failure(
        .usage, "The word behind --virtual was taken for the profile of the chip, and is the file of a dump.",
        remedy: "Verify a dump with `tessera passport verify --virtual FILE`.")
    }
    // Not the word itself: parameters of `call` contain the key of a chip.
    throw Failure(
      .usage, "The word behind --virtual was taken for the profile of the chip, and is none.",
      remedy: isPath
        ? "Use --files DIR for the elementary files in a folder, or put --virtual last if the word is another argument."
        : "Put --virtual last.")
  }

  /// What the virtual chip holds.
  package struct VirtualDocument {
    package let files: ChipFiles
    /// The test country that issued the built-in specimen; nil for the files of `--files`.
    package let country: TestCountry?
  }

  /// The document of the virtual chip; nil for a reader.
  package func virtualDocument() throws -> VirtualDocument? {
    guard let virtualProfile else { return nil }
    if let files { return VirtualDocument(files: try ChipOptions.files(inFolder: files), country: nil) }
    let specimen = try SpecimenDocument(profile: Self.profile(virtualProfile))
    return VirtualDocument(files: specimen.files, country: specimen.country)
  }

  /// - Parameters:
  ///   - virtualFiles: the files of the virtual chip; nil for a reader.
  ///   - standardWait: how long to wait for a document without `--wait`.
  package func source(_ virtualFiles: ChipFiles?, standardWait: Duration = .seconds(60)) throws -> CardSource {
    if let virtualProfile, let virtualFiles {
      return .virtual(try Self.profile(virtualProfile), virtualFiles)
    }
    let timeout = wait.map { Duration.seconds($0) } ?? standardWait
    if let nfc { return .libnfc(try LibNFCConnstring(nfc), timeout: timeout) }
    let selection = CardSelection(
      readerName: reader, timeout: timeout, waitsForReader: wait.map { $0 > 0 } ?? false)
    return reader == nil ? .any(selection) : .pcsc(selection)
  }
}

/// The profile and the files of the virtual chip.
package enum ChipOptions {
  package static func profile(_ name: String) throws -> ChipProfile {
    guard let profile = ChipProfile(named: name) else {
      let near = NearNames.orLonger(name, in: ChipProfile.named.map(\.name))
      throw Failure(
        .usage, "No chip profile has that name.\(NearNames.question(near))",
        remedy: "Run `tessera chip profiles` to list the profiles.")
    }
    return profile
  }

  /// The elementary files in the folder; the built-in specimen's without one.
  package static func files(_ folder: String?, _ profile: ChipProfile) throws -> ChipFiles {
    guard let folder else { return try SpecimenDocument(profile: profile).files }
    return try files(inFolder: folder)
  }

  fileprivate static func files(inFolder folder: String) throws -> ChipFiles {
    do {
      return try ChipFiles(folder: URL(fileURLWithPath: folder))
    } catch ChipFilesError.unreadable {
      throw Failure.unreadable(folder, isFolder: true)
    }
  }
}
