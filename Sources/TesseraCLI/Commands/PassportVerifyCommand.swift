import ArgumentParser
import FoundationEssentials
import Tessera

extension PassportCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Repeats all checks on saved dumps, without a reader.",
      discussion: """
        A dump is a folder or a file that `tessera passport read --out` wrote, or a folder with the elementary files of \
        another program. Instead of many dumps, specify the folder that contains them.

        Several dumps give one line each; with --json, one object a line.

        Exit status: 0 no check failed, 2 invalid usage or no dump, 5 a check failed or a dump was changed.

        Examples:
          tessera passport verify dump
          tessera passport verify --at 2026-05-28 dump.tessera
          tessera passport verify --json dumps/ > verdicts.jsonl
        """)

    @Argument(help: ArgumentHelp("Folders and .tessera files with dumps, or folders of dumps.", valueName: "dump"))
    var dumps: [String]

    @Option(
      help: ArgumentHelp(
        "Check validity for the end of this day, or for this time, in ISO 8601 (default: the time of the read).",
        valueName: "date"))
    var at: String?

    @Option(
      help: ArgumentHelp("The challenge that Active Authentication must have answered: 16 digits.", valueName: "hex"))
    var challenge: String?

    @Flag(help: "Print one JSON object for each dump.")
    var json = false

    func validate() throws {
      if let at, VerificationTime(at) == nil {
        throw ValidationError("--at must be a date such as 2026-05-28, or a time such as 2026-05-28T08:28:45Z.")
      }
      if challenge != nil, requiredChallenge == nil {
        throw ValidationError("--challenge must be 16 hexadecimal digits.")
      }
      if dumps.contains("-") { throw ValidationError("A dump is a folder or a file; standard input cannot be one.") }
    }

    private var requiredChallenge: [UInt8]? {
      guard let bytes = challenge.flatMap([UInt8].init(hexadecimal:)), bytes.count == 8 else { return nil }
      return bytes
    }

    func run() async throws {
      // An unreadable path gives its error in its place.
      let paths = dumps.flatMap { (try? SavedDump.paths(in: $0)) ?? [$0] }
      // A folder of dumps gives lines even if it contains only one.
      guard paths == dumps, let path = paths.first, paths.count == 1 else { return try await verifyAll(paths) }
      let saved = try SavedDump.load(path: path)
      let report = try verify(saved)
      try ReportOutput(report: report, portrait: saved.dump.portrait).show(asJSON: json)
      if !report.isSound { throw ExitCode(FailureKind.checkFailed.exitStatus) }
    }

    private func verify(_ saved: SavedDump) throws -> Report {
      try saved.report(at: at.flatMap { VerificationTime($0)?.date }, challenge: requiredChallenge)
    }

    private func verifyAll(_ paths: [String]) async throws {
      let status = try await Interruption.cancelling {
        let progress = ProgressLine()
        defer { progress.clear() }
        var summary = DumpSummary()
        try await OrderedWork.run(paths.count) { index in
          DumpLine(paths[index], Result { try verify(try SavedDump.load(path: paths[index])) }, asJSON: json)
        } receive: { line in
          progress.clear()
          try StandardOutput.write(line.text)
          summary.add(line)
          progress.show("Verified \(summary.count) of \(paths.count) dumps")
        }
        return summary.exitStatus
      }
      if status != 0 { throw ExitCode(status) }
    }
  }
}

/// The time of `--at`: an ISO 8601 time with its time zone, or a date, which means the end of that day in UTC.
struct VerificationTime {
  let date: Date

  init?(_ text: String) {
    let day = Date.ISO8601FormatStyle().year().month().day()
    if text.utf8.count == 10 {
      // The parser accepts days that do not exist.
      guard let date = try? Date(text, strategy: day), date.formatted(day) == text else { return nil }
      self.date = date.addingTimeInterval(86_399)
      return
    }
    guard text.utf8.count <= 32 else { return nil }
    let styles = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
    guard let date = styles.lazy.compactMap({ try? Date(text, strategy: $0) }).first else { return nil }
    self.date = date
  }
}
