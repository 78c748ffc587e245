import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine
import TesseraReportPage
import TesseraSeals

/// What a seal is compared with beside the printed zone, where its report goes, and what the verdict must be.
struct SealReportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Compare with this saved read of the holder's passport, whose number a visa or a travel authorization names. The \
      passport itself is not verified. --require then needs a seal that names it, or that equals the printed zone.
      """, valueName: "dump"), completion: .file())
  var passport: String?

  @Option(
    help: ArgumentHelp(
      "Also write the report as one page of HTML to this file, readable by its owner only.", valueName: "file"),
    completion: .file())
  var report: String?

  @OptionGroup var required: RequireOption

  func validate() throws {
    if report == "-" { throw ValidationError("--report requires a file: standard output has the report as text.") }
  }

  /// Checks what can be checked before a seal is read.
  ///
  /// - Parameter inputs: the paths that the command reads beside those of these options.
  /// - Throws: `Failure`, `DumpError`.
  /// - Returns: the zone of the passport; nil if none was given.
  func prepared(inputs: [String?]) throws -> MachineReadableZone? {
    try DistinctFiles.check(outputs: [report], inputs: inputs + [passport, TrustStore().folder])
    if let report { try PrivateFile.checkWritable(report) }
    return try passport.map(Self.zone)
  }

  private static func zone(ofPassport path: String) throws -> MachineReadableZone {
    guard case .success(let group)? = try SavedDump.load(path: path).dump.content.dataGroup1,
      case .success(let zone) = group.zone
    else {
      throw Failure(
        .usage, "\(path) has no machine readable zone.", remedy: "Save a read of the passport with data group 1.")
    }
    return zone
  }

  /// Writes the page. The reports are printed already, and their exit status takes precedence, so an error is printed.
  ///
  /// - Returns: the exit status for the page alone.
  func writePage(_ reports: [SealReport]) -> Int32 {
    guard let report, !reports.isEmpty else { return 0 }
    let page = SealPage(reports, software: "tessera \(TesseraVersion.current)").html()
    do {
      try PrivateFile.write(page.utf8, to: URL(fileURLWithPath: report))
      OutputFile.tell(report, .html)
      return 0
    } catch {
      ErrorOutput.note(error)
      return ErrorOutput.status(of: Failure(error).kind)
    }
  }

  /// The exit status that a report alone gives.
  func status(of report: SealReport) -> Int32 {
    let isMet = required.isMet(by: report.outcome) && (required.verdict == nil || isComparedAsAsked(report))
    return report.isSound && isMet ? 0 : FailureKind.checkFailed.exitStatus
  }

  /// Says why a status is 5 if the report does not show it.
  func remark(on reports: [SealReport], asJSON: Bool) {
    guard !asJSON, let report = reports.first(where: { status(of: $0) != 0 }), report.isSound else { return }
    if required.isMet(by: report.outcome) {
      RequireOption.remark(
        "--require with --passport demands a seal that names this passport, or that equals the printed zone")
    } else {
      RequireOption.remark()
    }
  }

  /// A seal that names no passport is skipped by `--passport`. Whoever gave one and demands a verdict must not take that for
  /// the answer that the seal is the holder's.
  private func isComparedAsAsked(_ report: SealReport) -> Bool {
    passport == nil || report.namesPassport == true || report.comparison == .equalsZone
  }
}
