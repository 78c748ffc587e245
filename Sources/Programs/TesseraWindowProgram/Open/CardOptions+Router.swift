import TesseraBridge
import TesseraCommandLine
import TesseraLinuxProviders
import TesseraVerification

extension CardOptions {
  /// A router to the devices of this system, which reads the card of the options.
  ///
  /// - Parameter registry: receives the providers.
  func router(in registry: SdkProviderRegistry) throws -> MessageRouter {
    let virtual = try virtualDocument()
    return .withSystemProviders(
      registry: registry, cards: try source(virtual?.files, standardWait: LinuxProviders.scanTimeout),
      trust: virtual?.country.map { .fixed(TrustMaterial(testCountry: $0, provesAuthenticity: true)) } ?? .imported)
  }
}
