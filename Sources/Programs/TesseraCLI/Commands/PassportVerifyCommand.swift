import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine

extension PassportCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Repeats all checks on saved dumps, without a reader.",
      discussion: """
        A dump is a folder or a file that `tessera passport read --out` wrote, or a folder with the elementary files of \
        another program. Instead of many dumps, specify the folder that contains them. A digital travel credential in a \
        file is verified like a dump; it is a copy, and the passport itself was not seen.

        Several dumps give one line each; with --json, one object a line.

        Exit status: 0 no check failed, 2 invalid usage or no dump, 5 a check failed, a dump was changed or a verdict is \
        not the one of --require.

        Examples:
          tessera passport verify dump
          tessera passport verify --at 2026-05-28 dump.tessera
          tessera passport verify --require genuine dump
          tessera passport verify --json dumps/ > verdicts.jsonl
        """)

    @Argument(
      help: ArgumentHelp("Folders and .tessera files with dumps, or folders of dumps.", valueName: "dump"),
      completion: .file())
    var dumps: [String]

    @OptionGroup(title: "Verification") var verification: VerificationOptions
    @OptionGroup(title: "Verification") var required: RequireOption

    @Option(
      help: ArgumentHelp("The challenge that Active Authentication must have answered: 16 digits.", valueName: "hex"))
    var challenge: String?

    @Flag(help: "Print one JSON object for each dump.")
    var json = false

    func validate() throws {
      if challenge != nil, Challenge(challenge) == nil {
        throw ValidationError("--challenge must be 16 hexadecimal digits.")
      }
      if dumps.contains("-") { throw ValidationError("A dump is a folder or a file; standard input cannot be one.") }
    }

    func run() async throws {
      // An unreadable path gives its error in its place.
      let paths = dumps.flatMap { (try? SavedDump.paths(in: $0)) ?? [$0] }
      // A folder of dumps gives lines even if it contains only one.
      guard paths == dumps, let path = paths.first, paths.count == 1 else { return try await verifyAll(paths) }
      let verify = try await verification.verifier(challenge: Challenge(challenge)?.bytes)
      let saved = try NamedDump.load(path)
      let report = try verify(saved)
      try ReportOutput(report: report, portrait: saved.dump.portrait, time: verification.timeSource).show(asJSON: json)
      if !json, let remark = verification.virtualRemark(saved) { Note.write(remark.text) }
      guard report.isSound, required.isMet(by: report.outcome) else {
        if report.isSound, !json { RequireOption.remark() }
        throw ExitCode(FailureKind.checkFailed.exitStatus)
      }
    }

    private func verifyAll(_ paths: [String]) async throws {
      let verify = try await verification.verifier(challenge: Challenge(challenge)?.bytes)
      let status = try await Interruption.cancelling {
        let progress = ProgressLine()
        defer { progress.clear() }
        var summary = DumpSummary()
        var remarks: Set<VerificationOptions.VirtualRemark> = []
        try await OrderedWork.run(paths.count) { index in
          let saved = Result { try NamedDump.load(paths[index]) }
          let remark = (try? saved.get()).flatMap(verification.virtualRemark)
          let report = Result { try verify(try saved.get()) }
          return (DumpLine(paths[index], report, required, asJSON: json), remark)
        } receive: { line, remark in
          if let remark { remarks.insert(remark) }
          progress.clear()
          try StandardOutput.write(line.text)
          summary.add(line)
          progress.show("Verified \(summary.count) of \(paths.count) dumps")
        }
        progress.clear()
        if !json {
          for remark in VerificationOptions.VirtualRemark.allCases where remarks.contains(remark) {
            Note.write(remark.textOfSome)
          }
        }
        return summary.exitStatus
      }
      if status != 0 { throw ExitCode(status) }
    }
  }
}
