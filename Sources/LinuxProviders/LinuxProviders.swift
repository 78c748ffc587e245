public import Bridge
public import EncryptedStorage
import Foundation
public import KeyStores
public import SmartCard

/// The providers of this system.
public enum LinuxProviders {
  /// How long a scan waits for a document, so that one that comes in the last moment can still be read.
  public static let scanTimeout = NfcBridgeHandler.timeLimit - .seconds(5)

  /// Fills the registry.
  ///
  /// - Parameters:
  ///   - cards: where documents are read.
  ///   - keys: where keys are kept; the user's files by default.
  ///   - storage: where secrets and documents are kept.
  ///   - person: is asked where a key's policy wants it.
  ///   - haptics: what rumbles.
  public static func register(
    in registry: SdkProviderRegistry, cards: CardSource = .any(CardSelection(timeout: scanTimeout)),
    keys: any KeyStore = FileKeyStore(newKeys: .secretServiceOrKeyFile, secrets: Desktop()),
    storage: EncryptedStore = EncryptedStore(), person: any ConfirmationAsking = Desktop(),
    haptics: any HapticProvider = EvdevHapticProvider()
  ) {
    registry.register { providers in
      providers.nfc = PassportNfcProvider(source: cards)
      providers.crypto = KeyStoreCryptoProvider(store: keys, confirmations: ConfirmationDesk(asking: person))
      providers.haptic = haptics
      providers.secureStorage = EncryptedStorageProvider(store: storage)
      providers.documents = EncryptedDocumentsProvider(store: storage)
    }
  }
}
