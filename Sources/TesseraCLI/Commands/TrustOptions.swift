import ArgumentParser
import Tessera

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
