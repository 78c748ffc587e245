import ArgumentParser
import Tessera
import TesseraCommandLine

/// Turns the verdict into an exit status, so that a script needs no JSON. Without it the status says whether a check
/// failed, which is not the verdict: what is not established need not have a failed check.
struct RequireOption: ParsableArguments {
  enum Verdict: String, ExpressibleByArgument, CaseIterable { case genuine }

  @Option(
    name: .customLong("require"),
    help: ArgumentHelp("Exit with status 5 unless the verdict is this one: genuine.", valueName: "verdict"))
  var verdict: Verdict?

  /// Says why the exit status is 5 although the report is sound.
  ///
  /// - Parameter reason: a clause.
  static func remark(_ reason: String = "--require genuine demands another verdict") {
    Note.write("The exit status is \(FailureKind.checkFailed.exitStatus), since \(reason).")
  }

  /// For a seal, `SealReportOptions` demands more.
  func isMet(by outcome: Outcome) -> Bool {
    switch verdict {
    case nil: true
    case .genuine?: outcome == .genuine
    }
  }
}
