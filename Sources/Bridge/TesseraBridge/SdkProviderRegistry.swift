import TesseraThreads

/// The providers of a process. Handlers look up their provider at every request, so a program may register or replace
/// providers at any time.
public final class SdkProviderRegistry: Sendable {
  /// The providers, one for each kind.
  public struct Providers: Sendable {
    public var nfc: (any NfcProvider)?
    public var biometric: (any BiometricProvider)?
    public var secureStorage: (any SecureStorageProvider)?
    public var crypto: (any CryptoProvider)?
    public var cameraMrz: (any CameraMrzProvider)?
    public var cameraSeal: (any CameraSealProvider)?
    public var haptic: (any HapticProvider)?
    public var documents: (any DocumentsProvider)?
    public var webView: (any WebViewProvider)?
    /// If nil, events are discarded.
    public var analytics: (any AnalyticsProvider)?

    public init() {}

    /// Whether `secureStorage` and `crypto` are registered, which every host has.
    public var isCommonConfigured: Bool { secureStorage != nil && crypto != nil }

    /// Whether all providers except `cameraSeal`, `haptic` and `analytics` are registered.
    public var isConfigured: Bool {
      nfc != nil && biometric != nil && secureStorage != nil && crypto != nil && cameraMrz != nil
        && documents != nil && webView != nil
    }
  }

  private let state = Locked(Providers())
  /// What the providers have, for all handlers.
  let biometricCapability: DeviceCapability<Bool>
  let biometryType: DeviceCapability<String>
  let cameraCapability: DeviceCapability<Bool>
  let readerCapability: DeviceCapability<Bool>

  public convenience init() { self.init(clock: ContinuousClock()) }

  /// - Parameter clock: measures how long an answer of a provider about its device counts.
  package init(clock: any MonotonicClock) {
    biometricCapability = DeviceCapability(clock: clock)
    biometryType = DeviceCapability(clock: clock)
    cameraCapability = DeviceCapability(clock: clock)
    readerCapability = DeviceCapability(clock: clock)
  }

  /// The current providers.
  public var providers: Providers { state.withLock { $0 } }

  public var isConfigured: Bool { providers.isConfigured }

  /// Registers, replaces or removes providers.
  public func register(_ change: @Sendable (inout Providers) -> Void) {
    state.withLock { change(&$0) }
    forgetCapabilities()
  }

  /// Removes all providers.
  public func reset() {
    state.withLock { $0 = Providers() }
    forgetCapabilities()
  }

  /// Whether a reader is connected, and whether a camera is.
  ///
  /// - Parameter limit: how long a device may take to answer.
  /// - Returns: nil for a device that did not answer in time.
  package func devices(within limit: Duration) async -> (reader: Bool?, camera: Bool?) {
    let providers = providers
    async let reader = try? withTimeLimit(limit) { [readerCapability] in
      await readerCapability.answer(for: .local) { await providers.nfc?.isAvailable() ?? false }
    }
    async let camera = try? withTimeLimit(limit) { [cameraCapability] in
      await cameraCapability.answer(for: .local) { await providers.cameraMrz?.isAvailable() ?? false }
    }
    return await (reader, camera)
  }

  private func forgetCapabilities() {
    biometricCapability.reset()
    biometryType.reset()
    cameraCapability.reset()
    readerCapability.reset()
  }
}
