package import ArgumentParser
import FoundationEssentials
import Glibc
package import Tessera
internal import TesseraDurableFiles

/// The access key of the chip.
package struct KeyOptions: ParsableArguments {
  package init() {}

  @Option(
    help: ArgumentHelp(
      "The machine readable zone: its text, a file that contains it, or - for standard input.",
      discussion:
        """
        Also the output of `tessera mrz scan --json`, whose candidates are tried. Other users of the machine can see \
        the text on the command line, but not the content of a private file.
        """,
      valueName: "text|file|-"), completion: .file())
  package var mrz: String?

  @Option(help: "The document number, as printed.")
  package var documentNumber: String?

  @Option(help: ArgumentHelp("The holder's date of birth.", valueName: "yymmdd"))
  package var dateOfBirth: String?

  @Option(help: ArgumentHelp("The document's date of expiry.", valueName: "yymmdd"))
  package var dateOfExpiry: String?

  @Option(help: ArgumentHelp("The card access number, usually six digits (PACE only).", valueName: "digits"))
  package var can: String?

  /// Whether an option states a key.
  package var isGiven: Bool { mrz != nil || can != nil || documentNumber != nil }

  package func validate() throws {
    let fields = [documentNumber, dateOfBirth, dateOfExpiry].compactMap { $0 }
    guard fields.isEmpty || fields.count == 3 else {
      throw ValidationError("--document-number, --date-of-birth and --date-of-expiry must be used together.")
    }
    guard [mrz != nil, !fields.isEmpty, can != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("Specify only one key: --mrz, the three fields, or --can.")
    }
  }

  /// A key, and the others that the scan permits that it comes from.
  package struct Specified {
    package let key: AccessKey
    /// Has several readings, `key` first; nil if there is no doubt.
    package let scan: ScannedKeys?
  }

  /// The access key; nil if the options specify none. Of a scan that leaves it open, the most probable one, with a note.
  package func accessKey() throws -> AccessKey? {
    let specified = try specifiedKey()
    if let scan = specified?.scan {
      Note.write(
        "The scan leaves a doubt: \(scan.name(of: scan.readings)). This command tries only the first; `tessera passport "
          + "read` tries the others, too.")
    }
    return specified?.key
  }

  /// The access key, and what else it may be; nil if the options specify none.
  package func specifiedKey() throws -> Specified? {
    if let can { return Specified(key: try AccessKey(cardAccessNumber: can), scan: nil) }
    if let mrz { return try Self.specified(mrz) }
    guard let documentNumber, let dateOfBirth, let dateOfExpiry else { return nil }
    let information = try MRZInformation(
      documentNumber: documentNumber, dateOfBirth: dateOfBirth, dateOfExpiry: dateOfExpiry)
    for (date, name) in [(dateOfBirth, "date of birth"), (dateOfExpiry, "date of expiry")]
    where !MRZInformation.isInCalendar(date) {
      throw Failure(
        .malformedMRZ, "The calendar has no such \(name).",
        remedy: "Compare it with the document; if it is printed so, use --mrz.", details: ["field": name])
    }
    return Specified(key: .mrz(information), scan: nil)
  }

  /// Exceeds every zone, and every scan of some pictures, including white space that an editor adds.
  private static let longestText = 262_144

  private static func specified(_ argument: String) throws -> Specified {
    if argument == "-" { return try specified(content: StandardInput.read(upToCount: longestText)) }
    let isFile = FileManager.default.fileExists(atPath: argument)
    if !argument.contains("<"), argument.contains("/") || isFile || FileWord.isName(argument) {
      let descriptor = open(argument, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { throw Failure.unreadable(argument, errno) }
      defer { close(descriptor) }
      return try specified(content: StandardInput.text(of: descriptor, named: argument, upToCount: longestText))
    }
    do {
      // Shells pass \n as two characters.
      return Specified(key: .mrz(try MRZInformation(typed: argument.replacing("\\n", with: "\n"))), scan: nil)
    } catch {
      guard case .wrongLength = error, !argument.contains("<") else { throw error }
      var failure = error.failure
      failure.cause += " No file has that name either."
      throw failure
    }
  }

  /// - Parameter text: a zone, or the output of a scan.
  private static func specified(content text: String) throws -> Specified {
    // A picture, or another file that is no text.
    guard !text.utf8.prefix(longestZone).contains(0), !text.hasPrefix("\u{FFFD}"), !text.hasPrefix("%PDF-") else {
      throw Failure(
        .malformedMRZ, "The input is a picture or another file that is no text, and has no MRZ as text.",
        remedy: "Read a picture first: tessera mrz scan --json FILE | tessera passport read --mrz -")
    }
    let text = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    guard let first = text.first else {
      throw Failure(
        .malformedMRZ, "The input is empty: it has no MRZ.",
        remedy: "Enter it as printed: 2 lines of 44 or 36 characters, or 3 lines of 30; the filler is \"<\".")
    }
    guard first == "{" || first == "[" else {
      // Longer texts are no zone, and slow to normalize.
      let zone = String(decoding: text.utf8.prefix(longestZone), as: UTF8.self)
      return Specified(key: .mrz(try MRZInformation(typed: zone)), scan: nil)
    }
    let scan = try ScannedKeys(json: text)
    return Specified(key: .mrz(scan.best.key), scan: scan.readings.count > 1 ? scan : nil)
  }

  /// Exceeds every zone, including white space that an editor adds.
  private static let longestZone = 4096
}
