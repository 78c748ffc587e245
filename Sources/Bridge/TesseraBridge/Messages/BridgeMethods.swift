extension BridgeDomain {
  /// The methods of the domain; for `custody`, which has no handler, those that its clients call.
  package var methods: [String] {
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
    case .i18n: ["get"]
    }
  }

  /// The methods that a grant of `method` includes: a scan includes its other name and the methods that query and stop
  /// it.
  package func methods(grantedWith method: String) -> [String] {
    switch self {
    case .nfc: NfcBridgeHandler.Method(rawValue: method)?.granted.map(\.rawValue) ?? [method]
    case .camera where CameraMrzBridgeHandler.Method(rawValue: method)?.isScan == true: methods
    default: [method]
    }
  }

  /// The methods that a denial of `method` denies: those that a grant of it includes, and those whose grant includes it. A
  /// report contains all that a scan does, so that it is denied with the scan.
  package func methods(deniedWith method: String) -> [String] {
    let included = methods(grantedWith: method)
    return included + methods.filter { !included.contains($0) && methods(grantedWith: $0).contains(method) }
  }
}
