import Bridge
import SmartCard

/// The providers of this system.
public enum LinuxProviders {
  /// How long a scan waits for a document: as long as the protocol's clients wait for their answer.
  public static let scanTimeout = Duration.seconds(120)

  /// Fills the registry.
  ///
  /// - Parameter cards: where documents are read.
  public static func register(
    in registry: SdkProviderRegistry, cards: CardSource = .pcsc(CardSelection(timeout: scanTimeout))
  ) {
    registry.register { providers in
      providers.nfc = PassportNfcProvider(source: cards)
    }
  }
}
