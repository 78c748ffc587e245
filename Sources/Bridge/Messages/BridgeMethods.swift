extension BridgeDomain {
  /// What this domain can be asked for, by the handlers' own lists; of `custody`, which has no handler here, what its
  /// clients ask for.
  public var methods: [String] {
    func names<Method: CaseIterable & RawRepresentable<String>>(of _: Method.Type) -> [String] {
      Method.allCases.map(\.rawValue)
    }
    return switch self {
    case .nfc: names(of: NfcBridgeHandler.Method.self)
    case .biometrics: names(of: BiometricBridgeHandler.Method.self)
    case .secureStorage: names(of: SecureStorageBridgeHandler.Method.self)
    case .camera: names(of: CameraMrzBridgeHandler.Method.self)
    case .crypto: names(of: CryptoBridgeHandler.Method.self)
    case .haptic: names(of: HapticBridgeHandler.Method.self)
    case .analytics: names(of: AnalyticsEvent.Kind.self)
    case .lifecycle: names(of: LifecycleBridgeHandler.Method.self)
    case .documents: names(of: DocumentsBridgeHandler.Method.self)
    case .navigation: names(of: NavigationBridgeHandler.Method.self)
    case .custody:
      [
        "state", "lock", "reset", "cancelLinkSession", "enablePasskey", "passwordStrength", "createLinkSession",
        "completeLink", "unlock", "unlockPasskey",
      ]
    }
  }

  /// What a caller may use who may use this method: the method, its other name where it has two, and with a scan what
  /// tells of it beforehand and what ends it.
  public func methods(grantedWith method: String) -> [String] {
    switch self {
    case .nfc where NfcBridgeHandler.Method(rawValue: method)?.isScan == true: methods
    case .camera where CameraMrzBridgeHandler.Method(rawValue: method)?.isScan == true: methods
    default: [method]
    }
  }
}
