import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine

/// What a document is verified with, and for which time.
struct VerificationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Check validity for the end of this day, or for this time, in UTC (default: the time of the read, or now if the \
      dump does not state it).
      """, valueName: "date"))
  var at: String?

  @Flag(help: "Accept the test country as proof for the dump of a virtual chip.")
  var virtual = false

  @OptionGroup var trust: TrustOptions

  func validate() throws {
    if virtual, !trust.trust.isEmpty { throw ValidationError("Specify --virtual or --trust, not both.") }
    if let at, VerificationTime(at) == nil {
      throw ValidationError("--at must be a date such as 2026-05-28, or a time such as 2026-05-28T08:28:45Z.")
    }
  }

  /// What there is to say about `--virtual` beside a report.
  enum VirtualRemark: CaseIterable {
    /// Nothing is established about the dump only because the option is missing.
    case isMissing
    /// The option is given, and the dump does not say that it is of a virtual chip.
    case changesNothing

    var text: String {
      switch self {
      case .isMissing: "This is the dump of a virtual chip. Use --virtual to accept its test country as proof."
      case .changesNothing: "The dump names no profile of a virtual chip, so --virtual changes nothing."
      }
    }

    /// The same for several dumps.
    var textOfSome: String {
      switch self {
      case .isMissing: "Some are dumps of a virtual chip. Use --virtual to accept its test country as proof for them."
      case .changesNothing: "Some dumps name no profile of a virtual chip, so --virtual changes nothing for them."
      }
    }
  }

  func virtualRemark(_ saved: SavedDump) -> VirtualRemark? {
    guard virtual else { return saved.virtualProfile != nil && trust.trust.isEmpty ? .isMissing : nil }
    let hasProfile = saved.virtualProfile.flatMap(ChipProfile.init(named:)) != nil
    return hasProfile || saved.dump.credential != nil ? nil : .changesNothing
  }

  var timeSource: ReportOutput.TimeSource { at == nil ? .dump : .caller }

  /// A function that verifies dumps with these options.
  ///
  /// - Parameter challenge: the challenge that Active Authentication must have answered; nil for any.
  func verifier(challenge: [UInt8]? = nil) async throws -> @Sendable (SavedDump) throws -> Report {
    let named = try await TrustFiles.material(trust.trust)
    let material = try named ?? TrustStore().load()
    let date = at.flatMap { VerificationTime($0)?.date }
    let isVirtual = virtual
    return { saved in
      // The dump of a virtual chip is verified with its test country. That proves nothing without `--virtual`: the keys
      // of the test country are public, so anyone can make such a dump.
      // The file of a digital travel credential has no room for the name of the profile.
      let profile = saved.virtualProfile ?? (isVirtual && saved.dump.credential != nil ? ChipProfile.bac.name : nil)
      var test = named == nil ? try profile.flatMap(TestCountryTrust.material(profile:)) : nil
      test?.provesAuthenticity = isVirtual
      return try saved.report(trust: test ?? material, at: date, challenge: challenge)
    }
  }
}
