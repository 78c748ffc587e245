public import TesseraBridge
public import TesseraCore
public import TesseraKeys

/// Confirms signatures with a finger where there is a reader with an enrolled one, and otherwise with a dialog.
///
/// A reader that fails or is in use refuses the signature: if a dialog took its place, a page could occupy the reader to
/// avoid it.
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
    // A reader without a finger reports a type, too, but is not available.
    guard await biometrics.isAvailable(for: caller) else {
      return try await dialog.confirm(text, reason: reason, for: caller)
    }
    _ = try await biometrics.authenticate(reason: reason, for: caller) { _ in }
    return true
  }
}
