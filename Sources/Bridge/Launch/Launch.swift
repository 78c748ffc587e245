/// What content is opened for, as it can ask with `getConfig`.
public struct Launch: Sendable, Equatable {
  /// How the content presents itself.
  public enum Mode: String, Sendable {
    /// The user's own wallet.
    case selfApp = "self-app"
    /// One verification for another program.
    case embed
  }

  public var mode: Mode
  public var verificationRequest: VerificationRequest?
  public var isDebug: Bool
  public var platform: String
  public var referenceId: String?
  /// Whether the host serves the `custody` domain with a handler of its own.
  public var hasCustody: Bool

  public init(
    mode: Mode = .selfApp, verificationRequest: VerificationRequest? = nil, isDebug: Bool = false,
    platform: String = "linux", referenceId: String? = nil, hasCustody: Bool = false
  ) {
    self.mode = mode
    self.verificationRequest = verificationRequest
    self.isDebug = isDebug
    self.platform = platform
    self.referenceId = referenceId
    self.hasCustody = hasCustody
  }

  /// The answer to `getConfig` (dossier, 3.8).
  func configuration(_ capabilities: LaunchCapabilities) -> JSONValue {
    var fields: JSONObject = [
      "mode": .string(mode.rawValue),
      "verificationRequest": verificationRequest?.json ?? .null,
      "debug": .bool(isDebug),
      "platform": .string(platform),
      "capabilities": capabilities.json,
    ]
    fields["referenceId"] = referenceId.map(JSONValue.string)
    return .object(fields)
  }
}

/// What content can do here: what has a provider.
struct LaunchCapabilities {
  let json: JSONValue

  init(_ providers: SdkProviderRegistry.Providers, _ launch: Launch) {
    var fields: JSONObject = [
      "nfc": .bool(providers.nfc != nil),
      "mrzCamera": .bool(providers.cameraMrz != nil),
      "biometrics": .bool(providers.biometric != nil),
      "secureStorage": .bool(providers.secureStorage != nil),
    ]
    // Its absence means no, and only newer clients know it.
    if launch.hasCustody { fields["custodyControls"] = true }
    json = .object(fields)
  }
}
