import FoundationEssentials
public import TesseraBridge
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
  ///   - biometrics: the fingerprint readers, and the password of the account where the host permits it.
  public static func register(
    in registry: SdkProviderRegistry, cards: CardSource = .any(CardSelection(timeout: scanTimeout)),
    trust: TrustMaterialSource = .imported,
    keys: any KeyStore = FileKeyStore(newKeys: .secretServiceOrKeyFile, secrets: Desktop()),
    storage: EncryptedStore = EncryptedStore(), person: any ConfirmationPrompting = Desktop(),
    haptics: any HapticProvider = EvdevHapticProvider(), camera: any CameraMrzProvider = V4L2CameraMrzProvider(),
    biometrics: any BiometricProvider = FprintdBiometricProvider()
  ) {
    registry.register { providers in
      providers.nfc = PassportNfcProvider(source: cards, trust: trust)
      providers.biometric = biometrics
      providers.crypto = KeyStoreCryptoProvider(
        store: keys,
        confirmations: SignatureConfirmation(prompting: FingerOrDialog(biometrics: biometrics, dialog: person)))
      providers.haptic = haptics
      providers.cameraMrz = camera
      providers.secureStorage = EncryptedStorageProvider(store: storage)
      providers.documents = EncryptedDocumentsProvider(store: storage)
    }
  }
}
