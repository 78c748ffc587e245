@_exported import Bridge
@_exported import Cryptography
@_exported import Doctor
@_exported import EncryptedStorage
@_exported import Failures
@_exported import Haptics
@_exported import KeyStores
@_exported import LinuxProviders
@_exported import Passport
@_exported import Pictures
@_exported import SmartCard
@_exported import TrustedPlatform
@_exported import VirtualChip

/// Tessera: a hardware-backed device service.
///
/// Most programs need two calls. To read a passport:
///
/// ```swift
/// import Tessera
///
/// let key = try MRZInformation(documentNumber: "L898902C3", dateOfBirth: "740812", dateOfExpiry: "120415")
/// let dump = try await CardSource.any(CardSelection(timeout: .seconds(60))).withCard { card in
///   try await Inspection.read(card, InspectionRequest(key: .mrz(key)))
/// }
/// print(try Report(dump).headline)
/// ```
///
/// To serve the bridge to content of your own:
///
/// ```swift
/// let router = Tessera.configure()
/// await router.route(message) { answer in page.evaluate(answer.script) }
/// ```
///
/// A program with windows has a launch and a connection for each of them, and asks `ContentPolicy` whose messages count:
/// `Tests/BridgeTests/EmbeddingTests.swift` is such a program.
public enum Tessera {
  /// Of the program and of the library (https://semver.org).
  public static let version = "0.1.0"

  /// The bridge over this system's providers. Keeps OpenSSL from crashing at the end of the process
  /// (`OpenSSLCleanup.leaveToKernel`).
  ///
  /// - Parameters:
  ///   - registry: where the providers are put; one of your own may be changed later.
  ///   - cards: where documents are read.
  ///   - keys: where keys are kept.
  ///   - storage: where secrets and documents are kept.
  ///   - person: is asked where a key's policy wants it.
  ///   - analytics: what is told of use; by default nothing is.
  ///   - scanTimeLimit: how long a scan may take; nil where the asker waits for ever.
  public static func configure(
    registry: SdkProviderRegistry = SdkProviderRegistry(),
    cards: CardSource = .any(CardSelection(timeout: LinuxProviders.scanTimeout)),
    keys: any KeyStore = FileKeyStore(newKeys: .secretServiceOrKeyFile, secrets: Desktop()),
    storage: EncryptedStore = EncryptedStore(), person: any ConfirmationAsking = Desktop(),
    analytics: (any AnalyticsProvider)? = nil, scanTimeLimit: Duration? = NfcBridgeHandler.timeLimit
  ) -> MessageRouter {
    OpenSSLCleanup.leaveToKernel()
    LinuxProviders.register(in: registry, cards: cards, keys: keys, storage: storage, person: person)
    if let analytics { registry.register { $0.analytics = analytics } }
    return MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry, scanTimeLimit: scanTimeLimit))
  }
}
