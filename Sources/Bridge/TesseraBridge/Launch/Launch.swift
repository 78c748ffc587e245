/// The configuration of a launch, which content queries with `getConfig`.
public struct Launch: Sendable, Equatable {
  /// The mode of the content.
  public enum Mode: String, Sendable {
    /// The wallet of the user.
    case selfApp = "self-app"
    /// One verification for another program.
    case embed
  }

  public var mode: Mode
  public var verificationRequest: VerificationRequest?
  public var isDebug: Bool
  public var platform: String
  /// A text for the error reports of the host and of the page. A blank one counts as absent; then it is that of the
  /// request.
  public var referenceId: String?
  /// Whether the host has a handler of the `custody` domain.
  public var hasCustody: Bool
  /// Whether the page may save files. A kiosk keeps none.
  public var savesFiles: Bool

  public init(
    mode: Mode = .selfApp, verificationRequest: VerificationRequest? = nil, isDebug: Bool = false,
    platform: String = "linux", referenceId: String? = nil, hasCustody: Bool = false, savesFiles: Bool = true
  ) {
    self.mode = mode
    self.verificationRequest = verificationRequest
    self.isDebug = isDebug
    self.platform = platform
    self.referenceId = referenceId
    self.hasCustody = hasCustody
    self.savesFiles = savesFiles
  }

  /// The result of `getConfig` (the bridge protocol, section lifecycle).
  func configuration(_ capabilities: LaunchCapabilities) -> JSONValue {
    var fields: JSONObject = [
      "mode": .string(mode.rawValue),
      "verificationRequest": verificationRequest?.json ?? .null,
      "debug": .bool(isDebug),
      "platform": .string(platform),
      "capabilities": capabilities.json,
    ]
    fields["referenceId"] = effectiveReferenceId.map(JSONValue.string)
    return .object(fields)
  }

  /// The identifier of the launch, or that of its request; nil if both are blank.
  package var effectiveReferenceId: String? {
    [referenceId, verificationRequest?.otherMembers["referenceId"]?.stringValue].lazy.compactMap { $0 }
      .first { !$0.isBlank }
  }
}

/// The capabilities of the host: what has a provider and a device.
struct LaunchCapabilities {
  let json: JSONValue

  /// - Parameters:
  ///   - hasReader: whether a reader is present.
  ///   - hasBiometrics: whether the biometric provider can authenticate the user.
  ///   - hasCamera: whether a camera is present.
  init(
    _ providers: SdkProviderRegistry.Providers, _ launch: Launch, hasReader: Bool, hasBiometrics: Bool, hasCamera: Bool
  ) {
    var fields: JSONObject = [
      "nfc": .bool(hasReader),
      "mrzCamera": .bool(hasCamera),
      "biometrics": .bool(hasBiometrics),
      "secureStorage": .bool(providers.secureStorage != nil),
    ]
    // Only newer clients know this key. Its absence means false.
    if launch.hasCustody { fields["custodyControls"] = true }
    // Tessera's own. Its absence means true.
    if !launch.savesFiles { fields["saveFiles"] = false }
    json = .object(fields)
  }
}

extension String {
  /// Whether the text has nothing but white space.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
