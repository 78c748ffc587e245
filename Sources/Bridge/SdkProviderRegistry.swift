import Threads

/// Where the providers of a process are found. Handlers look theirs up at every call, so a provider may be
/// registered late or exchanged.
public final class SdkProviderRegistry: Sendable {
  /// One place per provider of the protocol.
  public struct Providers: Sendable {
    public var nfc: (any NfcProvider)?
    public var biometric: (any BiometricProvider)?
    public var secureStorage: (any SecureStorageProvider)?
    public var crypto: (any CryptoProvider)?
    public var cameraMrz: (any CameraMrzProvider)?
    public var haptic: (any HapticProvider)?
    public var documents: (any DocumentsProvider)?
    public var webView: (any WebViewProvider)?
    /// Without one, what is tracked is forgotten.
    public var analytics: (any AnalyticsProvider)?

    public init() {}

    /// Whether the two are there that every host has.
    public var isCommonConfigured: Bool { secureStorage != nil && crypto != nil }

    /// Whether everything but the extras, haptics and analytics, is there.
    public var isConfigured: Bool {
      nfc != nil && biometric != nil && secureStorage != nil && crypto != nil && cameraMrz != nil
        && documents != nil && webView != nil
    }
  }

  private let state = Locked(Providers())

  public init() {}

  /// The providers as they are now.
  public var providers: Providers { state.withLock { $0 } }

  public var isConfigured: Bool { providers.isConfigured }

  /// Registers, exchanges or removes providers.
  public func register(_ change: @Sendable (inout Providers) -> Void) { state.withLock { change(&$0) } }

  /// Removes all of them.
  public func reset() { state.withLock { $0 = Providers() } }
}
