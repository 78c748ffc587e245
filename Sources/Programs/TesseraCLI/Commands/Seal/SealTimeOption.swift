import ArgumentParser
import FoundationEssentials

/// The time of the inspection of a seal.
struct SealTimeOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Check validity for the end of this day, or for this time, in UTC (default: now).", valueName: "date"))
  var at: String?

  var date: Date { at.flatMap { VerificationTime($0)?.date } ?? .now }

  func validate() throws {
    if let at, VerificationTime(at) == nil {
      throw ValidationError("--at must be a date such as 2026-05-28, or a time such as 2026-05-28T08:28:45Z.")
    }
  }
}
