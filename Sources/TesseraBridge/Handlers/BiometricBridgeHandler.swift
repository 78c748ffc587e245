import TesseraCore
import TesseraThreads

/// The `biometrics` domain: `authenticate`, `isAvailable`, `getBiometryType`. Its responses are plain values for
/// every client generation.
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
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound }
    guard let provider = registry.providers.biometric else {
      // Newer clients call this first and treat an error as a defect.
      if method == .isAvailable { return false }
      throw BridgeError.notConfigured("biometric")
    }
    switch method {
    case .isAvailable: return .bool(await provider.isAvailable())
    case .getBiometryType: return .string(await provider.getBiometryType())
    case .authenticate:
      let reason = BiometricReason.displayed(try request.parameters.string("reason"))
      do {
        try await withCancellableWait { try await provider.authenticate(reason: reason, for: request.caller) }
      } catch {
        throw BridgeError(
          "BIOMETRIC_ERROR", behind: error, for: request.caller, otherwise: "The user was not authenticated.")
      }
      return true
    }
  }
}

/// The reason that the authentication prompt shows.
enum BiometricReason {
  /// In bytes of UTF-8, since one character can have any number of combining marks. A longer text could push the other
  /// parts of the prompt out of view.
  static let maximumLength = 400

  /// The text of the page, shortened and without control characters; a default text if nothing remains.
  static func displayed(_ text: String?) -> String {
    let printable = PrintableText.of(text.map(prefix) ?? "")
    return printable.allSatisfy(\.isWhitespace) ? "Confirm that it is you" : printable
  }

  private static func prefix(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      guard count <= maximumLength else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
