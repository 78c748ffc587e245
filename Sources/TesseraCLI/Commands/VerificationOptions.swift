import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraThreads

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
      var test = named == nil ? try saved.virtualProfile.flatMap(TestCountryTrust.material(profile:)) : nil
      test?.provesAuthenticity = isVirtual
      return try saved.report(trust: test ?? material, at: date, challenge: challenge)
    }
  }
}

/// The certificates that say whether a document is genuine.
struct TrustOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use the certificates in this master list, certificate or folder instead of the imported ones. Repeatable.",
      valueName: "path"))
  var trust: [String] = []

  /// What the scans of a bridge are verified with: the test country's certificates, or the imported ones.
  static func scans(_ testCountry: TestCountry?) -> TrustMaterialSource {
    testCountry.map { .fixed(TrustMaterial(testCountry: $0, provesAuthenticity: true)) } ?? .imported
  }

  /// The certificates of `--trust`, of the test country, or else the imported ones.
  func material(testCountry: TestCountry?) async throws -> TrustMaterial {
    if let named = try await TrustFiles.material(trust) { return named }
    return try testCountry.map { TrustMaterial(testCountry: $0, provesAuthenticity: true) } ?? TrustStore().load()
  }
}

/// The certificates of the test country that issues the documents of the virtual chip.
enum TestCountryTrust {
  /// By the name of the profile; there are a few dozen profiles. Issuing the certificates takes longer than verifying a
  /// dump, and one command verifies thousands.
  private static let issued = Locked<[String: TrustMaterial]>([:])

  /// nil if there is no such profile.
  static func material(profile name: String) throws -> TrustMaterial? {
    guard let profile = ChipProfile(named: name) else { return nil }
    return try issued.withLock { issued in
      if let material = issued[name] { return material }
      let country = try SpecimenDocument(profile: profile).country
      let material = TrustMaterial(testCountry: country, provesAuthenticity: true)
      issued[name] = material
      return material
    }
  }
}
