import Failures

/// The `biometrics` domain: `authenticate`, `isAvailable`, `getBiometryType`. Its answers are bare values in every
/// generation of clients.
public struct BiometricBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.biometrics
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  enum Method: String, CaseIterable {
    case authenticate, isAvailable, getBiometryType
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(word: request.method) else { throw BridgeError.methodNotFound }
    guard let provider = registry.providers.biometric else {
      // Newer clients ask before they do anything else, and take an error for a fault.
      if method == .isAvailable { return false }
      throw BridgeError.notConfigured("biometric")
    }
    switch method {
    case .isAvailable: return .bool(await provider.isAvailable())
    case .getBiometryType: return .string(await provider.getBiometryType())
    case .authenticate:
      let reason = BiometricReason.shown(try request.parameters.string("reason"))
      do {
        try await abandonedWhenCancelled { try await provider.authenticate(reason: reason, for: request.caller) }
      } catch {
        throw BridgeError(
          "BIOMETRIC_ERROR", behind: error, toldTo: request.caller, otherwise: "The user was not recognised.")
      }
      return true
    }
  }
}

/// What a person reads while asked for a finger.
enum BiometricReason {
  /// In bytes of UTF-8. Longer texts could push what belongs to the dialogue out of sight; and one letter alone can bear any
  /// number of marks.
  static let longest = 400

  /// The page's own words as far as they may be shown.
  static func shown(_ text: String?) -> String {
    let words = PrintableText.of(text.map(beginning) ?? "")
    return words.allSatisfy(\.isWhitespace) ? "Confirm that it is you" : words
  }

  private static func beginning(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= longest else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
