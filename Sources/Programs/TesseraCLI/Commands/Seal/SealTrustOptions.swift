import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraCommandLine
import TesseraSeals

/// What a seal is verified with.
struct SealTrustOptions: ParsableArguments {
  @Flag(help: "Accept the test country, whose seals `tessera chip seal` makes, instead of the imported certificates.")
  var virtual = false

  @OptionGroup var files: TrustOptions

  /// The paths that the command reads.
  var paths: [String] { files.trust }

  func validate() throws {
    if virtual, !files.trust.isEmpty { throw ValidationError("Specify --virtual or --trust, not both.") }
  }

  func load() async throws -> SealTrust {
    if virtual { return SealTrust(material: try TestCountryTrust.material(), offersVirtual: false) }
    if let named = try await TrustFiles.material(files.trust) {
      return SealTrust(material: named, offersVirtual: false)
    }
    return SealTrust(material: try TrustStore().load(), offersVirtual: true)
  }
}

/// The certificates that a seal is verified with.
struct SealTrust: Sendable {
  let material: TrustMaterial
  /// Whether a seal of the test country is told from others, which `--virtual` would accept.
  let offersVirtual: Bool

  /// The report on a seal. One of the test country is named as such, also without `--virtual`. That proves nothing: the
  /// keys of the test country are public, so anyone can make such a seal.
  ///
  /// - Parameter judge: judges the seal by certificates.
  func report(_ judge: (TrustMaterial) throws -> SealReport) throws -> SealReport {
    let report = try judge(material)
    let isOpen = [.unknownSigner, .noCountryCertificates, .unknownIssuer].contains(report.outcomeReason)
    guard offersVirtual, isOpen, report.issuer == SpecimenDocument.content.issuingState else { return report }
    var test = try TestCountryTrust.material()
    test.provesAuthenticity = false
    let other = try judge(test)
    return other.outcomeReason == .publicKeys ? other : report
  }

  /// Says on standard error what to do about seals of the test country.
  func remark(on reports: [SealReport]) {
    guard reports.contains(where: { $0.outcomeReason == .publicKeys }) else { return }
    Note.write("This is a seal of the test country. Use --virtual to accept it as proof.")
  }
}

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
