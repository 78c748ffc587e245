public import Bridge
import Foundation
public import KeyStores
public import SmartCard

/// The providers of this system.
public enum LinuxProviders {
  /// How long a scan waits for a document: as long as the protocol's clients wait for their answer.
  public static let scanTimeout = Duration.seconds(120)

  /// Fills the registry.
  ///
  /// - Parameters:
  ///   - cards: where documents are read.
  ///   - keys: where keys are kept; the user's files by default.
  ///   - person: is asked where a key's policy wants it.
  ///   - haptics: what rumbles.
  public static func register(
    in registry: SdkProviderRegistry, cards: CardSource = .any(CardSelection(timeout: scanTimeout)),
    keys: any KeyStore = FileKeyStore(newKeys: .secretServiceOrKeyFile, secrets: Desktop()),
    person: any ConfirmationAsking = Desktop(), haptics: any HapticProvider = EvdevHapticProvider()
  ) {
    registry.register { providers in
      providers.nfc = PassportNfcProvider(source: cards)
      providers.crypto = KeyStoreCryptoProvider(store: keys, confirmations: ConfirmationDesk(asking: person))
      providers.haptic = haptics
    }
  }
}
