package import Tessera

/// What to type after an error.
///
/// The libraries' remedies name no command and no option of `tessera`, since other programs show them too. If one
/// helps, this table adds it.
package enum CommandHint {
  private static let accessKey =
    "Specify the key with --mrz, or with --document-number, --date-of-birth and --date-of-expiry."

  /// - Returns: an imperative sentence; nil if no command helps.
  package static func text(for error: any Error) -> String? {
    switch error {
    case PassportError.accessKeyRequired, PassportError.accessKeyUnsuitable: accessKey
    case MRZError.wrongCheckDigit:
      "For a misprinted document, use --document-number, --date-of-birth and --date-of-expiry."
    case is FileFinding: "Use --out to save the raw file."
    case is PictureError: "Use a file name for --portrait that does not end in .png."
    case CardError.deviceInUse: "To use a reader that pcscd drives, specify it with --reader."
    case CardError.noReaderAnywhere: "Specify it with --nfc, for example --nfc pn532_uart:/dev/ttyUSB0."
    case CardError.contactCardOnly: "Use --reader with a part of the reader's name."
    case PassportError.pace(.refused(.selection, _)): "Use --skip-pace, together with the MRZ."
    case CardError.ambiguousReader: "Specify one with --reader."
    case CardError.deviceAccessDenied, CardError.deviceUsedByKernel:
      "Run `tessera doctor --rules nfc` to print the udev rules, and `tessera doctor` for the command that installs them."
    // Their remedies say all that helps.
    case CardError.readerInUse, CardError.readerBlocked, CardError.cardUnpowered, CardError.readerFailed,
      CardError.tooManyOpenFiles:
      nil
    case TokenError.lastTry: "Use --passphrase-fd to read the PIN from a file descriptor."
    case KeyStoreError.exists: "Use --replace to replace the key."
    case KeyStoreError.confirmationRefused:
      "Run `tessera key confirm NAME never --origin ORIGIN` to sign without confirmation."
    case KeyStoreError.tooMany: "Run `tessera key list` to list the keys."
    case KeyStoreError.secretNeeded(let prompt), KeyStoreError.secretRefused(let prompt): text(for: prompt)
    case let error as HapticError: text(for: error)
    case TrustError.inFile(_, let error): text(for: error)
    case TrustError.signerNotTrusted, TrustError.issuerUnknown(_, _, .some):
      "Use --root FILE, or --root FINGERPRINT if you have compared it."
    case TrustError.notFound: "Run `tessera trust list` to list the certificates."
    // The commands' own errors are specific already.
    case is Failure, is VPCDError: nil
    default: text(for: Failure(error).kind)
    }
  }

  /// The hint if only the kind is known: the error of a bridge response.
  package static func text(for kind: FailureKind) -> String? {
    switch kind {
    case .noReader: "Run `tessera readers` to list the readers."
    case .ambiguousReader: "Specify one with --reader; a unique part of the name is enough."
    case .noCard: "Use --wait SECONDS to wait longer."
    case .noDevice: "Run `tessera haptic devices` to list the devices."
    case .noFingerprintReader: "Run `tessera doctor` for what is missing."
    case .keyNotFound: "Run `tessera key list` to list the keys."
    default: nil
    }
  }

  private static func text(for prompt: SecretPrompt) -> String {
    switch prompt {
    case .passphrase, .pin, .keyPIN, .newPIN: "Use --passphrase-fd to read it from a file descriptor."
    case .newPassphrase:
      "Use --passphrase-fd (with `key export`: --new-passphrase-fd) to read it from a file descriptor, or --unprotected."
    case .importPassphrase: "Use --source-passphrase-fd to read it from a file descriptor."
    }
  }

  private static func text(for error: HapticError) -> String? {
    switch error {
    case .accessDenied: "Run `tessera doctor` for the reason and a command that corrects it."
    case .disconnected, .failed, .devicesUnavailable, .interrupted: nil
    case .noDevice, .notADevice, .cannotRumble, .unserved, .nothingFelt:
      "Run `tessera haptic devices` to list the devices."
    }
  }
}
