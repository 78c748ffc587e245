import ArgumentParser
import Foundation
import Tessera

/// What opens the chip.
struct KeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The machine readable zone: its lines, a file that holds them, or - for standard input.",
      discussion: "What stands on a command line can be seen by other users of the machine; a file cannot.",
      valueName: "text|file|-"))
  var mrz: String?

  @Option(help: "The document number, as printed.")
  var documentNumber: String?

  @Option(help: ArgumentHelp("The holder's date of birth.", valueName: "yymmdd"))
  var dateOfBirth: String?

  @Option(help: ArgumentHelp("The document's date of expiry.", valueName: "yymmdd"))
  var dateOfExpiry: String?

  @Option(help: ArgumentHelp("The card access number (PACE only).", valueName: "digits"))
  var can: String?

  func validate() throws {
    let fields = [documentNumber, dateOfBirth, dateOfExpiry].compactMap { $0 }
    guard fields.isEmpty || fields.count == 3 else {
      throw ValidationError("--document-number, --date-of-birth and --date-of-expiry belong together.")
    }
    guard [mrz != nil, !fields.isEmpty, can != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Give one key: --mrz, the three fields, or --can.")
    }
  }

  /// nil where no key is given.
  func accessKey() throws -> AccessKey? {
    if let can { return try AccessKey(cardAccessNumber: can) }
    if let mrz { return .mrz(try Self.information(mrz)) }
    guard let documentNumber, let dateOfBirth, let dateOfExpiry else { return nil }
    return .mrz(
      try MRZInformation(documentNumber: documentNumber, dateOfBirth: dateOfBirth, dateOfExpiry: dateOfExpiry))
  }

  /// Longer than any zone, with whatever an editor put around it.
  private static let longestText = 4096

  private static func information(_ argument: String) throws -> MRZInformation {
    if argument == "-" { return try MRZInformation(typed: StandardInput.read(upToCount: longestText)) }
    let isFile = FileManager.default.fileExists(atPath: argument)
    if !argument.contains("<"), argument.contains("/") || isFile {
      guard let file = FileHandle(forReadingAtPath: argument) else {
        throw Failure(
          .usage, "What was given with --mrz cannot be read as a file.", remedy: "Check its path and permissions.")
      }
      return try MRZInformation(typed: StandardInput.text(of: file, upToCount: longestText))
    }
    do {
      // Shells do not turn \n into a line break.
      return try MRZInformation(typed: argument.replacing("\\n", with: "\n"))
    } catch {
      var failure = error.failure
      if case .wrongLength = error, !argument.contains("<") { failure.cause += " Nor is there a file of that name." }
      throw failure
    }
  }
}
