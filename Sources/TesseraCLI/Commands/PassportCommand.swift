import ArgumentParser
import Foundation
import Tessera

struct PassportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passport", abstract: "Reads and checks travel documents.",
    discussion: """
      Example:
        tessera passport read --mrz mrz.txt
      """, subcommands: [Read.self])

  struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reads and checks one travel document.",
      discussion: """
        On a terminal, a key that is not given is asked for: the machine readable zone or its three fields.

        Exit status: 0 read and no check failed, 2 wrong use or malformed MRZ, 3 no reader or no card, 4 the chip \
        refused the key, 5 read but a check failed, 6 card lost or protocol broken.

        Examples:
          tessera passport read --mrz mrz.txt --portrait face.png
          tessera passport read --virtual --out dump
          tessera passport read --json --document-number L898902C3 \\
            --date-of-birth 740812 --date-of-expiry 120415
        """)

    @OptionGroup(title: "Where") var card: CardOptions
    @OptionGroup(title: "Key") var key: KeyOptions

    @Option(help: ArgumentHelp("Data groups to read, for example 1,2,11 (default: all open ones).", valueName: "list"))
    var groups: String?

    @Flag(help: "Open the chip by Basic Access Control even where it offers PACE.")
    var skipPace = false

    @Flag(help: "Do not do Chip Authentication.")
    var skipChipAuthentication = false

    @Flag(help: "Read EF.DIR, EF.ATR/INFO and EF.CardSecurity too, which tell of the card.")
    var cardFiles = false

    @Option(
      help: ArgumentHelp(
        "Folder with CV certificates and the terminal's private key, for fingers and irises.", valueName: "dir"))
    var terminal: String?

    @Option(help: ArgumentHelp("Cap of one READ BINARY; other commands are as long as they need.", valueName: "bytes"))
    var maxRead: Int?

    @Option(help: ArgumentHelp("Write each file as read, and report.json, into this folder.", valueName: "dir"))
    var out: String?

    @Option(
      help: ArgumentHelp(
        "Write the picture of the holder: as PNG where the name ends so, else as the chip has it; - for standard output.",
        valueName: "file|-"))
    var portrait: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(help: ArgumentHelp("Write the APDUs to this file, data redacted.", valueName: "file"))
    var trace: String?

    @Flag(help: "With --trace: with all data. The file then holds personal data and keys.")
    var tracePlain = false

    func validate() throws {
      if let maxRead, !(1...65_535).contains(maxRead) { throw ValidationError("--max-read is 1 to 65535 bytes.") }
      if tracePlain, trace == nil { throw ValidationError("--trace-plain needs --trace.") }
      if portrait == "-", json { throw ValidationError("--portrait - and --json both want standard output.") }
      if skipPace, key.can != nil {
        throw ValidationError("--can opens a chip by PACE only, which --skip-pace skips.")
      }
      if out == "-" || trace == "-" { throw ValidationError("--out wants a folder and --trace a file.") }
      if let groups = try dataGroups(), portrait != nil, !groups.contains(2) {
        throw ValidationError("--portrait needs data group 2; add it to --groups.")
      }
    }

    func run() async throws {
      // What cannot be written is told before the document is read, not after.
      if let portrait, portrait != "-" { try PrivateFile.checkWritable(portrait) }
      if let out { try DumpFolder(path: out).prepare() }
      let files = try card.virtualFiles()
      var access = try key.accessKey() ?? files?.mrzInformation.map(AccessKey.mrz)
      if access == nil, files == nil, AccessKeyDialogue.isPossible {
        access = try await Interruption.cancelling { try AccessKeyDialogue.run() }
      }
      var request = InspectionRequest(key: access, dataGroups: try dataGroups(), maximumReadLength: maxRead)
      request.skipsPACE = skipPace
      request.readsCardFiles = cardFiles
      if let wait = card.wait { request.returnTime = .seconds(wait) }
      if skipChipAuthentication { request.chipAuthentication = .never }
      request.terminalCredentials = try terminal.map { try TerminalFolder(path: $0).credentials() }
      let dump = try await DocumentRead(
        source: try card.source(files), request: request, trace: try trace.map { try TraceFile($0, plain: tracePlain) }
      ).run()
      // What was read is kept, even where it cannot be understood.
      if let out { try DumpFolder(path: out).write(dump) }
      let report = try Report(dump)
      if let out { try DumpFolder(path: out).write(report) }
      // With the picture on standard output there is no room for the report.
      if portrait != "-" { try ReportOutput(report: report, portrait: dump.portrait).show(asJSON: json) }
      let portraitFailure = try writePortrait(dump.portrait)
      if portrait != nil, dump.portrait == nil {
        Note.write("No portrait was read, so none was written.")
        throw ExitCode(FailureKind.protocolViolation.exitStatus)
      }
      if !report.isSound { throw ExitCode(FailureKind.checkFailed.exitStatus) }
      if let portraitFailure { throw ExitCode(ErrorOutput.status(of: portraitFailure)) }
    }

    /// - Returns: why there is none, told already. With the report shown, that is no reason to lose its verdict, nor to
    ///   print another JSON object behind it.
    private func writePortrait(_ face: FacialImage?) throws -> FailureKind? {
      guard let portrait, let face else { return nil }
      let file = PortraitFile(path: portrait)
      if portrait == "-" {
        try file.write(face)
        return nil
      }
      do {
        try file.write(face)
        return nil
      } catch {
        let failure = Failure(error)
        Note.write(failure.description)
        return failure.kind
      }
    }

    private func dataGroups() throws -> Set<Int>? {
      guard let groups else { return nil }
      let numbers = groups.split(separator: ",").map { Int($0.trimmingCharacters(in: .whitespaces)) }
      guard !numbers.isEmpty, numbers.allSatisfy({ (1...16).contains($0 ?? 0) }) else {
        throw ValidationError("--groups is a list of numbers from 1 to 16, separated by commas.")
      }
      return Set(numbers.compactMap { $0 })
    }
  }
}
