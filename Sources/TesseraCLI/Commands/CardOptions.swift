import ArgumentParser
import Foundation
import Tessera

/// Where the card comes from.
struct CardOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A PC/SC reader; a unique part of its name is enough.", valueName: "name"))
  var reader: String?

  @Option(
    help: ArgumentHelp(
      "A device of libnfc's, for example pn532_uart:/dev/ttyUSB0; `tessera readers` lists those on USB.",
      valueName: "connstring"))
  var nfc: String?

  @Option(
    name: .customLong("virtual"), defaultAsFlag: ChipProfile.bac.name, parsing: .next,
    help: ArgumentHelp("Use the built-in chip in this process instead of a reader.", valueName: "profile"))
  var virtualProfile: String?

  @Option(help: ArgumentHelp("With --virtual: serve this folder's elementary files.", valueName: "dir"))
  var files: String?

  @Option(
    help: ArgumentHelp(
      "How long to wait for a document (default: 60; `serve`: 110), and for one that is lost in the middle to come back (default: 10).",
      valueName: "seconds"))
  var wait: Int?

  func validate() throws {
    if files != nil, virtualProfile == nil { throw ValidationError("--files needs --virtual.") }
    if [reader, nfc, virtualProfile].count(where: { $0 != nil }) > 1 {
      throw ValidationError("--reader, --nfc and --virtual exclude each other.")
    }
    if let wait, !(0...86_400).contains(wait) { throw ValidationError("--wait is a number of seconds.") }
  }

  /// The files of the built-in chip; nil for a reader.
  func virtualFiles() throws -> ChipFiles? {
    guard let virtualProfile else { return nil }
    return try ChipOptions.files(files, ChipOptions.profile(virtualProfile))
  }

  /// - Parameter standardWait: how long a document is waited for where the option does not say.
  func source(_ virtualFiles: ChipFiles?, standardWait: Duration = .seconds(60)) throws -> CardSource {
    if let virtualProfile, let virtualFiles {
      return .virtual(try ChipOptions.profile(virtualProfile), virtualFiles)
    }
    let timeout = wait.map { Duration.seconds($0) } ?? standardWait
    if let nfc { return .libnfc(try LibNFCConnstring(nfc), timeout: timeout) }
    let selection = CardSelection(
      readerName: reader, timeout: timeout, waitsForReader: wait.map { $0 > 0 } ?? false)
    return reader == nil ? .any(selection) : .pcsc(selection)
  }
}

/// Which software chip.
enum ChipOptions {
  static func profile(_ name: String) throws -> ChipProfile {
    guard let profile = ChipProfile(named: name) else {
      throw Failure(
        .usage, "There is no chip profile of that name.", remedy: "`tessera chip profiles` lists them.")
    }
    return profile
  }

  /// A folder's files, or those of the built-in document.
  static func files(_ folder: String?, _ profile: ChipProfile) throws -> ChipFiles {
    guard let folder else { return try SpecimenDocument(profile: profile).files }
    return try ChipFiles(folder: URL(fileURLWithPath: folder))
  }
}
