public import TesseraBridge
public import TesseraCore
public import TesseraKeys

/// Confirms signatures with a finger where there is a reader with an enrolled one, and otherwise with a dialog.
///
/// The error of the provider decides: the dialog asks if there is no fingerprint service, no reader or no enrolled finger,
/// if the desktop cannot show the prompt of the provider, or if the password should answer and polkit or its file is not
/// installed. Every other error refuses the signature, for example that of a reader that fails or is in use: a page could
/// cause it to avoid the finger.
public struct FingerOrDialog: ConfirmationPrompting {
  private let biometrics: any BiometricProvider
  private let dialog: any ConfirmationPrompting

  public init(biometrics: any BiometricProvider, dialog: any ConfirmationPrompting) {
    self.biometrics = biometrics
    self.dialog = dialog
  }

  /// Shows the dialog: a prompt without a caller is none of a signature.
  public func confirm(_ text: String) async throws -> Bool? { try await dialog.confirm(text) }

  public func confirm(_ text: String, reason: String, for caller: Caller) async throws -> Bool? {
    do {
      _ = try await biometrics.authenticate(reason: reason, for: caller) { _ in }
      return true
    } catch {
      guard Self.permitsDialog(Failure(error)) else { throw error }
      return try await dialog.confirm(text, reason: reason, for: caller)
    }
  }

  private static func permitsDialog(_ failure: Failure) -> Bool {
    switch failure.kind {
    case .noFingerprintReader, .notEnrolled: true
    // No notification service, no agent that shows the dialog for the password, or no polkit that knows the action.
    default: ["no_prompt", "no_policy", "no_polkit"].contains(failure.details["reason"])
    }
  }
}
