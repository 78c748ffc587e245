package import ArgumentParser
import FoundationEssentials
import Glibc
package import Tessera

/// The access key of the chip.
package struct KeyOptions: ParsableArguments {
  package init() {}

  @Option(
    help: ArgumentHelp(
      "The machine readable zone: its text, a file that contains it, or - for standard input.",
      discussion:
        "Other users of the machine can see the text on the command line, but not the content of a private file.",
      valueName: "text|file|-"))
  package var mrz: String?

  @Option(help: "The document number, as printed.")
  package var documentNumber: String?

  @Option(help: ArgumentHelp("The holder's date of birth.", valueName: "yymmdd"))
  package var dateOfBirth: String?

  @Option(help: ArgumentHelp("The document's date of expiry.", valueName: "yymmdd"))
  package var dateOfExpiry: String?

  @Option(help: ArgumentHelp("The card access number (PACE only).", valueName: "digits"))
  package var can: String?

  package func validate() throws {
    let fields = [documentNumber, dateOfBirth, dateOfExpiry].compactMap { $0 }
    guard fields.isEmpty || fields.count == 3 else {
      throw ValidationError("--document-number, --date-of-birth and --date-of-expiry must be used together.")
    }
    guard [mrz != nil, !fields.isEmpty, can != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Specify only one key: --mrz, the three fields, or --can.")
    }
  }

  /// The access key; nil if the options specify none.
  package func accessKey() throws -> AccessKey? {
    if let can { return try AccessKey(cardAccessNumber: can) }
    if let mrz { return .mrz(try Self.information(mrz)) }
    guard let documentNumber, let dateOfBirth, let dateOfExpiry else { return nil }
    return .mrz(
      try MRZInformation(documentNumber: documentNumber, dateOfBirth: dateOfBirth, dateOfExpiry: dateOfExpiry))
  }

  /// Exceeds every zone, including white space that an editor adds.
  private static let longestText = 4096

  private static func information(_ argument: String) throws -> MRZInformation {
    if argument == "-" { return try MRZInformation(typed: StandardInput.read(upToCount: longestText)) }
    let isFile = FileManager.default.fileExists(atPath: argument)
    if !argument.contains("<"), argument.contains("/") || isFile {
      let descriptor = open(argument, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else {
        throw Failure(
          .usage, "The file specified with --mrz cannot be read.", remedy: "Check its path and permissions.")
      }
      defer { close(descriptor) }
      return try MRZInformation(typed: StandardInput.text(of: descriptor, upToCount: longestText))
    }
    do {
      // Shells pass \n as two characters.
      return try MRZInformation(typed: argument.replacing("\\n", with: "\n"))
    } catch {
      var failure = error.failure
      if case .wrongLength = error, !argument.contains("<") { failure.cause += " No file has that name either." }
      throw failure
    }
  }
}
