import TesseraCore
import TesseraThreads

extension BridgeDomain {
  public static let biometrics = BridgeDomain(
    "biometrics", BiometricBridgeHandler.Method.self, wish: "wants to ask for your fingerprint.")
}

/// The `biometrics` domain: `authenticate`, `isAvailable`, `getBiometryType`. Its responses are plain values for
/// every client generation: `authenticate` answers `true` for a finger, and `"deviceCredential"` for the password of the
/// account, which the host must have permitted.
public struct BiometricBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.biometrics
  private let registry: SdkProviderRegistry

  public init(registry: SdkProviderRegistry) { self.registry = registry }

  /// How long a cancelled request may take to withdraw its prompt and to release the reader.
  static let gracePeriod = Duration.seconds(1)

  enum Method: String, CaseIterable {
    case authenticate, isAvailable, getBiometryType
  }

  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard let method = Method(protocolName: request.method) else { throw BridgeError.methodNotFound(request) }
    guard let provider = registry.providers.biometric else {
      // Newer clients call this first and treat an error as a defect.
      if method == .isAvailable { return false }
      throw BridgeError.notConfigured("biometric")
    }
    switch method {
    case .isAvailable:
      return .bool(
        await registry.biometricCapability.answer(for: request.caller) {
          await provider.isAvailable(for: request.caller)
        })
    case .getBiometryType:
      return .string(
        await registry.biometryType.answer(for: request.caller) { await provider.getBiometryType() })
    case .authenticate:
      let reason = BiometricReason.displayed(try request.parameters.string("reason"))
      let method: AuthenticationMethod
      do {
        method = try await withTimeLimit(nil, gracePeriod: Self.gracePeriod) {
          try await provider.authenticate(reason: reason, for: request.caller) { progress in
            emit("authenticateProgress", progress.payload(for: request.caller))
          }
        }
      } catch {
        throw Self.translated(error, request.caller)
      }
      return method == .biometric ? true : .string(method.rawValue)
    }
  }
}

extension BiometricBridgeHandler {
  /// The error with a code of this domain. Web content learns what the user did and can do, but
  /// nothing else about the machine.
  static func translated(_ error: any Error, _ caller: Caller) -> BridgeError {
    let failure = Failure(error)
    var details: JSONObject = [:]
    if caller == .local || failure.kind == .confirmationRefused {
      // The code alone means that the finger was not recognised, as on the mobile platforms.
      if let reason = failure.details["reason"], reason != "no_match" { details["reason"] = .string(reason) }
      details["retryAfter"] = failure.details["retryAfter"].flatMap(Int64.init).map(JSONValue.integer)
    }
    let code: String
    var message = "The user was not authenticated."
    switch failure.kind {
    case .notEnrolled:
      code = failure.kind.bridgeCode
      message = "The user has not enrolled a finger. The settings of the system can do that."
      if caller == .local { details["command"] = failure.details["command"].map(JSONValue.string) }
    case .noFingerprintReader:
      code = failure.kind.bridgeCode
      message = "There is no fingerprint reader."
    default: code = "BIOMETRIC_ERROR"
    }
    let coded = BridgeError(code, behind: error, for: caller, otherwise: message)
    return BridgeError(
      coded.code, coded.message, details: coded.details ?? (details.members.isEmpty ? nil : .object(details)),
      failure: coded.failure)
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
