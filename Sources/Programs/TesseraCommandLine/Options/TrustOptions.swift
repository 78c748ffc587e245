package import ArgumentParser
package import Tessera

/// The certificates that say whether a document is genuine.
package struct TrustOptions: ParsableArguments {
  package init() {}

  @Option(
    help: ArgumentHelp(
      "Use the certificates in this master list, certificate or folder instead of the imported ones. Repeatable.",
      valueName: "path"), completion: .file())
  package var trust: [String] = []

  /// What the scans of a bridge are verified with: the test country's certificates, or the imported ones.
  package static func scans(_ testCountry: TestCountry?) -> TrustMaterialSource {
    testCountry.map { .fixed(TrustMaterial(testCountry: $0, provesAuthenticity: true)) } ?? .imported
  }

  /// The certificates of `--trust`, of the test country, or else the imported ones.
  package func material(testCountry: TestCountry?) async throws -> TrustMaterial {
    if let named = try await TrustFiles.material(trust) { return named }
    return try testCountry.map { TrustMaterial(testCountry: $0, provesAuthenticity: true) } ?? TrustStore().load()
  }
}
