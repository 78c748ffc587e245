import FoundationEssentials
public import TesseraBridge
import TesseraCryptography
public import TesseraEncryptedStorage
public import TesseraKeys
public import TesseraReaders

/// The providers of Linux.
public enum LinuxProviders {
  /// The longest wait for a document. The scan has 5 seconds left to read a document that is detected last.
  public static let scanTimeout = NfcBridgeHandler.timeLimit - .seconds(5)

  /// Registers the providers.
  ///
  /// - Parameters:
  ///   - registry: receives the providers.
  ///   - cards: the source of the documents.
  ///   - trust: the country certificates that documents are verified with.
  ///   - keys: the key store; by default files of the user.
  ///   - storage: the store of secrets and documents.
  ///   - person: confirms signatures, if the policy of the key requires it.
  ///   - haptics: the haptic devices.
  ///   - camera: reads machine readable zones.
  ///   - seals: reads seals with a camera; nil for the first camera, and the certificates of `trust`.
  ///   - biometrics: the fingerprint readers, and the password of the account where the host permits it.
  public static func register(
    in registry: SdkProviderRegistry, cards: CardSource = .any(CardSelection(timeout: scanTimeout)),
    trust: TrustMaterialSource = .imported,
    keys: any KeyStore = FileKeyStore(newKeys: .secretServiceOrKeyFile, secrets: Desktop()),
    storage: EncryptedStore = EncryptedStore(), person: any ConfirmationPrompting = Desktop(),
    haptics: any HapticProvider = EvdevHapticProvider(), camera: any CameraMrzProvider = V4L2CameraMrzProvider(),
    seals: (any CameraSealProvider)? = nil, biometrics: any BiometricProvider = FprintdBiometricProvider()
  ) {
    registry.register { providers in
      providers.nfc = PassportNfcProvider(source: cards, trust: trust)
      providers.biometric = biometrics
      providers.crypto = KeyStoreCryptoProvider(
        store: keys,
        confirmations: SignatureConfirmation(prompting: FingerOrDialog(biometrics: biometrics, dialog: person)))
      providers.haptic = haptics
      providers.cameraMrz = camera
      providers.cameraSeal = seals ?? V4L2CameraSealProvider(trust: trust)
      providers.secureStorage = EncryptedStorageProvider(store: storage)
      providers.documents = EncryptedDocumentsProvider(store: storage)
    }
  }
}

extension MessageRouter {
  /// A message bridge to the devices of this system.
  ///
  /// A program with several windows has one launch and one `BridgeConnection` for each, and passes on the messages of
  /// the pages that `ContentPolicy` allows. The article “Embedding the bridge” shows both.
  ///
  /// The call also prevents OpenSSL from freeing its memory while the process ends and other threads still use it
  /// (`OpenSSLCleanup.disable`).
  ///
  /// - Parameters:
  ///   - registry: receives the providers. The caller may replace a provider later.
  ///   - cards: the source of the cards that `nfc.scan` reads.
  ///   - trust: the country certificates that documents are verified with; by default what the user imported.
  ///   - keys: the store of the keys of `crypto`.
  ///   - storage: the store of the entries of `secureStorage` and `documents`.
  ///   - person: confirms signatures if the policy of a key requires it.
  ///   - biometrics: the fingerprint readers, and the password of the account where the host permits it.
  ///   - analytics: receives analytics events. By default they are discarded.
  ///   - scanTimeLimit: the longest time of one scan; nil for no limit.
  public static func withSystemProviders(
    registry: SdkProviderRegistry = SdkProviderRegistry(),
    cards: CardSource = .any(CardSelection(timeout: LinuxProviders.scanTimeout)),
    trust: TrustMaterialSource = .imported,
    keys: any KeyStore = FileKeyStore(newKeys: .secretServiceOrKeyFile, secrets: Desktop()),
    storage: EncryptedStore = EncryptedStore(), person: any ConfirmationPrompting = Desktop(),
    biometrics: any BiometricProvider = FprintdBiometricProvider(),
    analytics: (any AnalyticsProvider)? = nil, scanTimeLimit: Duration? = NfcBridgeHandler.timeLimit
  ) -> MessageRouter {
    OpenSSLCleanup.disable()
    LinuxProviders.register(
      in: registry, cards: cards, trust: trust, keys: keys, storage: storage, person: person, biometrics: biometrics)
    if let analytics { registry.register { $0.analytics = analytics } }
    return MessageRouter(handlers: MessageRouter.standardHandlers(registry: registry, scanTimeLimit: scanTimeLimit))
  }
}
