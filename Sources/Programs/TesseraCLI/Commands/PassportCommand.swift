import ArgumentParser
import FoundationEssentials
import Glibc
import Tessera
import TesseraCommandLine
import TesseraReportPage

struct PassportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passport", abstract: "Reads and checks travel documents.",
    discussion: """
      Example:
        tessera passport read
      """, subcommands: [Read.self, Verify.self, PassportReportCommand.self])

  struct Read: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "read",
      abstract: "Reads and checks one travel document.",
      discussion: """
        On a terminal, the command prompts for a missing key: the machine readable zone, three of its fields, or the card \
        access number. It looks for a reader first, and does not ask if none is there. With --wait it asks, and then waits \
        for the reader, and for pcscd. With --virtual --prompt you can try the prompts. Other users of the machine can see \
        a key on the command line.

        If --mrz is a scan that leaves a doubt, the most probable key is tried first, and at most four are. Each try is \
        told. After a refusal by PACE, or by a chip that counts, the command asks before the next; without a terminal \
        it tries no other.

        Exit status: 0 the document was read and no check failed, 2 invalid usage or malformed MRZ, 3 no reader or no \
        card, 4 the chip refused the key, 5 a check failed or the verdict is not the one of --require, 6 the card was lost \
        or violated the protocol.

        Examples:
          tessera passport read
          tessera passport read --virtual --prompt
          tessera passport read --virtual --out dump
          tessera mrz scan --json | tessera passport read --mrz -
          tessera passport read --json --mrz mrz.txt --portrait face.png
        """)

    @OptionGroup(title: "Reader") var card: CardOptions
    @OptionGroup(title: "Access key") var key: KeyOptions

    @Flag(help: "Prompt for the key on the terminal; with --virtual too, whose key is known otherwise.")
    var prompt = false

    @OptionGroup(title: "Verification") var trust: TrustOptions
    @OptionGroup(title: "Verification") var required: RequireOption

    @Option(
      help: ArgumentHelp(
        "The data groups to read, for example 1,2,11 (default: all that are accessible).", valueName: "list"))
    var groups: String?

    @Flag(help: "Use Basic Access Control even if the chip supports PACE.")
    var skipPace = false

    @Flag(help: "Do not perform Chip Authentication.")
    var skipChipAuthentication = false

    @Option(
      help: ArgumentHelp(
        "The challenge for Active Authentication: 16 digits (default: random). `verify --challenge` demands it.",
        valueName: "hex"))
    var challenge: String?

    @Flag(help: "Also read EF.DIR, EF.ATR/INFO and EF.CardSecurity.")
    var cardFiles = false

    @Option(
      help: ArgumentHelp(
        "A folder with CV certificates and the terminal's private key. They give access to fingerprints and irises.",
        valueName: "dir"), completion: .directory)
    var terminal: String?

    @Option(
      help: ArgumentHelp("The maximum length of one READ BINARY; it does not limit other commands.", valueName: "bytes")
    )
    var maxRead: Int?

    @Option(
      help: ArgumentHelp(
        "Save all files, the evidence and the report to this folder, new or a dump's, or to one file (NAME.tessera).",
        valueName: "dir|file"), completion: .file())
    var out: String?

    @Option(
      help: ArgumentHelp(
        "Write the portrait to this file: as PNG if its name ends in .png, else in the original format; - for stdout.",
        valueName: "file|-"), completion: .file())
    var portrait: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(
      help: ArgumentHelp("Write the APDUs to this file, with their data redacted.", valueName: "file"),
      completion: .file())
    var trace: String?

    @Flag(help: "With --trace: do not redact data. The file then contains personal data and keys.")
    var tracePlain = false

    func validate() throws {
      if let maxRead, !(1...65_535).contains(maxRead) { throw ValidationError("--max-read must be 1 to 65535 bytes.") }
      if challenge != nil, Challenge(challenge) == nil {
        throw ValidationError("--challenge must be 16 hexadecimal digits.")
      }
      if prompt, key.isGiven { throw ValidationError("--prompt excludes --mrz, --document-number and --can.") }
      if tracePlain, trace == nil { throw ValidationError("--trace-plain requires --trace.") }
      if portrait == "-", json {
        throw ValidationError("--portrait - and --json both use standard output: name a file after --portrait.")
      }
      if skipPace, key.can != nil {
        throw ValidationError("--can requires PACE, which --skip-pace disables.")
      }
      if out == "-" || trace == "-" { throw ValidationError("--out requires a folder or a file, and --trace a file.") }
      try DistinctFiles.validate(
        outputs: [("--out", out), ("--portrait", portrait), ("--trace", trace)], dump: "--out")
      if let groups = try dataGroups(), portrait != nil, !groups.contains(2) {
        throw ValidationError("--portrait requires data group 2; add it to --groups.")
      }
    }

    func run() async throws {
      try DistinctFiles.check(
        outputs: [out, portrait, trace], inputs: [key.mrz, card.files, terminal, TrustStore().folder] + trust.trust)
      // Reports unwritable paths before the document is read.
      if let portrait, portrait != "-" { try PrivateFile.checkWritable(portrait) }
      if let out, SavedDump.isFolderOfOthers(path: out) {
        throw Failure(
          .usage, "The folder \(out) has other files than those of a dump.",
          remedy: "Specify a new folder, or a file whose name ends in \(SavedDump.fileNameExtension).")
      }
      let isNewFolder = try out.map { try SavedDump.prepare(path: $0) } ?? false
      // Has no effect on a folder with files.
      defer { if isNewFolder, let out { rmdir(out) } }
      let virtual = try card.virtualDocument()
      let files = virtual?.files
      let material = try await trust.material(testCountry: virtual?.country)
      let source = try card.source(files)
      let specified = try key.specifiedKey()
      let access: AccessKey? =
        if let specified {
          specified.key
        } else if let files, !prompt {
          files.mrzInformation.map(AccessKey.mrz)
        } else {
          try await promptedKey(source, virtual)
        }
      var request = InspectionRequest(key: access, dataGroups: try dataGroups(), maximumReadLength: maxRead)
      request.skipsPACE = skipPace
      request.readsCardFiles = cardFiles
      request.activeAuthenticationChallenge = Challenge(challenge)?.bytes
      if let wait = card.wait { request.gracePeriod = .seconds(wait) }
      if skipChipAuthentication { request.chipAuthentication = .never }
      request.terminalCredentials = try terminal.map { try TerminalFolder(path: $0).credentials() }
      let traceFile = try trace.map { try TraceFile($0, plain: tracePlain) }
      // After the report, and after a read that failed, when the trace matters most.
      var written = [trace].compactMap(\.self)
      defer {
        for path in written { OutputFile.tell(path, path == trace ? .text : nil) }
      }
      let dump = try await DocumentRead(source: source, request: request, trace: traceFile, scan: specified?.scan).run()
      let verified = Result { try Report(dump, trust: material) }
      // Without a report too: an error of verification does not lose the files.
      if let out {
        let profile = virtual?.country == nil ? nil : card.virtualProfile
        try SavedDump(dump, report: try? verified.get(), virtualProfile: profile).write(to: out)
        written.append(out)
        if PrivateFile.isFolder(out) { WrittenFormat.remark(onFolder: out) }
      }
      let report = try verified.get()
      if portrait != "-" { try ReportOutput(report: report, portrait: dump.portrait).show(asJSON: json) }
      let portraitFailure = try writePortrait(dump.portrait)
      if let portrait, dump.portrait != nil, portraitFailure == nil { written.append(portrait) }
      if portrait != nil, dump.portrait == nil {
        Note.write("No portrait was read, and none was written.")
        throw ExitCode(FailureKind.protocolViolation.exitStatus)
      }
      guard report.isSound, required.isMet(by: report.outcome) else {
        if report.isSound, !json { RequireOption.remark() }
        throw ExitCode(FailureKind.checkFailed.exitStatus)
      }
      if let portraitFailure { throw ExitCode(ErrorOutput.status(of: portraitFailure)) }
    }

    /// The key that the user types. Does not ask if no reader is there, unless the read waits for one: the read then fails
    /// at once and says why.
    private func promptedKey(_ source: CardSource, _ virtual: CardOptions.VirtualDocument?) async throws -> AccessKey? {
      guard AccessKeyDialogue.isPossible else {
        guard prompt else { return nil }
        throw Failure(
          .usage, "There is no terminal to prompt on.",
          remedy: "Use --mrz, or --document-number, --date-of-birth and --date-of-expiry, or --can.")
      }
      if let virtual {
        if virtual.country != nil { Note.write(try printed(on: virtual.files)) }
      } else if !(await source.isAvailable()) {
        // A libnfc device is not waited for.
        guard card.nfc == nil, let wait = card.wait, wait > 0 else { return nil }
        if await Readers.areUnreachable() { Note.write(ErrorOutput.message(CardError.noReaderAnywhere)) }
        let missing = card.reader == nil ? "No reader was found yet." : "That reader was not found yet."
        Note.write("\(missing) After your answers, the command waits for it for at most \(wait) s.")
      }
      return try await Interruption.cancelling { try AccessKeyDialogue.run() }
    }

    /// What a user who tries the prompts would see in the specimen.
    private func printed(on files: ChipFiles) throws -> String {
      let zone = try DataGroup1(files[.dg1] ?? []).zone.get()
      let number = card.virtualProfile.flatMap(ChipProfile.init(named:))?.cardAccessNumber
      return "The specimen has the document number \(zone.documentNumber), the date of birth \(zone.dateOfBirth) and "
        + "the date of expiry \(zone.dateOfExpiry)." + (number.map { " Its card access number is \($0)." } ?? "")
    }

    /// Writes the portrait, if there is one. Prints an error instead of throwing it once the report is printed: the
    /// report's exit status takes precedence, and standard output remains one JSON object.
    ///
    /// - Returns: the kind of the printed error.
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
        ErrorOutput.note(error)
        return Failure(error).kind
      }
    }

    private func dataGroups() throws -> Set<Int>? { try groups.map(DataGroupList.parse) }
  }
}

struct PassportReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes the report on a stored read as one page of HTML.",
    discussion: """
      The page is one file without scripts and network access. It prints on one sheet of A4; for a PDF, print it to a file \
      in a browser. It contains personal data. `tessera passport verify --json` writes the report as JSON.

      Example:
        tessera passport read --virtual --out dump
        tessera passport report --virtual dump -o report.html
      """)

  @Argument(
    help: ArgumentHelp("The folder or file that `tessera passport read --out` wrote.", valueName: "dump"),
    completion: .file())
  var path: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write the page to this file, readable by its owner only; - for standard output, also a terminal.",
      valueName: "file|-"),
    completion: .file())
  var output: String?

  @OptionGroup(title: "Verification") var verification: VerificationOptions

  func run() async throws {
    guard output != nil || isatty(STDOUT_FILENO) == 0 else {
      throw Failure(
        .usage, "The source of the page would be written to the terminal.",
        remedy: "Use -o FILE, for example -o report.html.")
    }
    let output = output ?? "-"
    try DistinctFiles.check(outputs: [output], inputs: [path, TrustStore().folder] + verification.trust.trust)
    if output != "-" { try PrivateFile.checkWritable(output) }
    let saved = try NamedDump.load(path)
    let report = try await verification.verifier()(saved)
    if let remark = verification.virtualRemark(saved) { Note.write(remark.text) }
    let page = ReportPage(report, saved.dump, software: saved.software ?? "tessera \(TesseraVersion.current)").html()
    guard output != "-" else { return try StandardOutput.write(bytes: Array(page.utf8)) }
    try PrivateFile.write(page.utf8, to: URL(fileURLWithPath: output))
    OutputFile.tell(output, .html)
  }
}
