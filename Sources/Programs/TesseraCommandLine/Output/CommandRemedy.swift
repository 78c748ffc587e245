package import Tessera

/// What to do about an error, in the words of a shell.
///
/// The libraries' remedies name no command and no option of `tessera`, since other programs show them too. If one
/// helps, the sentence of this table takes the place of the library's: an error has one remedy.
package enum CommandRemedy {
  /// - Returns: an imperative sentence that says all that helps; nil for the library's remedy.
  package static func text(for error: any Error) -> String? {
    switch error {
    case PassportError.accessKeyRequired:
      "Specify the key with --mrz, or with --document-number, --date-of-birth and --date-of-expiry, or with --can if a card "
        + "access number is printed on the document."
    case PassportError.accessKeyUnsuitable:
      "Specify the key with --mrz, or with --document-number, --date-of-birth and --date-of-expiry."
    case PassportError.pace(.refused(.selection, _)):
      "Use the other key, --mrz or --can, if the document has both; or use --skip-pace, together with the MRZ, if it also "
        + "supports Basic Access Control."
    case MRZError.wrongCheckDigit:
      "Compare that line with the document, where O and 0 are easily confused; if it is misprinted, use "
        + "--document-number, --date-of-birth and --date-of-expiry."
    case is FileFinding: "Read the document again, with --out to save the raw file."
    case is PictureError: "Use a file name for --portrait that does not end in .png, for the original image."
    case let error as CardError: text(for: error)
    case TokenError.lastTry: "Remove pin-source from the URI, and enter the PIN, or use --passphrase-fd."
    case let error as KeyStoreError: text(for: error)
    case let error as HapticError: text(for: error)
    case let error as TrustError: text(for: error)
    case is VPCDError: virtualReader
    // The commands' own errors are specific already.
    case is Failure: nil
    default: text(for: Failure(error).kind)
    }
  }

  /// The remedy if only the kind is known, as of the error of a bridge response: nil unless all errors of this kind have
  /// the same.
  package static func text(for kind: FailureKind) -> String? {
    switch kind {
    case .ambiguousReader: "Specify one with --reader; a unique part of the name is enough."
    case .noFingerprintReader: "Run `tessera doctor` for what is missing."
    default: nil
    }
  }

  /// What helps without a reader and without pcscd.
  ///
  /// - Parameters:
  ///   - name: what names a reader on a serial line to this command.
  ///   - example: the same with its value.
  package static func withoutReader(naming name: String, _ example: String) -> String {
    (PCSCServiceCheck.remedyOfMissingService ?? "Run `tessera doctor` for what is wrong with the service")
      + "; or connect a PN53x reader, which \(name) names if it is on a serial line, for example \(example)."
  }

  /// vpcd is a driver of pcscd, and listens when pcscd has loaded it.
  private static var virtualReader: String {
    guard PCSCServiceCheck.hasVirtualReader else {
      return "Install it and restart pcscd: \(PCSCServiceCheck.restartLine(installing: ["pcscd", "vsmartcard-vpcd"]))"
    }
    return PCSCServiceCheck.remedyOfMissingService
      ?? "Use --vpcd with the address of /etc/reader.conf.d/vpcd, or restart pcscd: \(PCSCServiceCheck.restartLine())"
  }

  private static func text(for error: CardError) -> String? {
    switch error {
    case .noReader: "Plug in a contactless reader and try again; `tessera doctor` says why one is not found."
    case .readerNotFound: "Specify a part of the name of one that `tessera readers` lists."
    case .ambiguousReader: text(for: .ambiguousReader)
    case .noReaderAnywhere: withoutReader(naming: "--nfc", "--nfc pn532_uart:/dev/ttyUSB0")
    case .serviceUnavailable:
      PCSCServiceCheck.remedyOfMissingService ?? "Run `tessera doctor` for the reason and a command that corrects it."
    case .serviceUnresponsive: "Restart it: \(PCSCServiceCheck.restartLine())"
    case .noCard: "Place the document flat on the reader, or use --wait SECONDS to wait longer."
    case .contactCardOnly:
      "Place the document flat on a contactless reader; to read the contact card, use --reader with a part of its "
        + "reader's name."
    case .deviceNotFound: "Connect it, or specify another one; `tessera readers` lists those on the USB."
    case .deviceInUse:
      "Close that program; if it is pcscd, specify the reader with --reader instead; if there is none, reconnect the "
        + "reader."
    case .deviceAccessDenied(_, let node) where !node.hasPrefix("/dev/bus/usb"): nil
    case .deviceAccessDenied, .deviceUsedByKernel:
      "Run `tessera doctor` for the command that corrects this, or `tessera doctor --rules nfc` to print the udev rules."
    default: nil
    }
  }

  private static func text(for error: KeyStoreError) -> String? {
    switch error {
    case .notFound: "Run `tessera key list` to list the keys."
    case .exists: "Choose another name, or use --replace to replace the key."
    case .tooMany: "Delete keys that are no longer needed; `tessera key list` lists them."
    case .confirmationRefused:
      "Confirm the signature, or run `tessera key confirm NAME never --origin ORIGIN` to sign without confirmation."
    case .secretNeeded(let prompt), .secretRefused(let prompt): text(for: prompt)
    default: nil
    }
  }

  private static func text(for prompt: SecretPrompt) -> String {
    switch prompt {
    case .newPassphrase:
      "Run the command on a terminal, use --passphrase-fd to read it from a file descriptor, or --unprotected to store the "
        + "key without a passphrase."
    case .passphrase, .keyPIN, .newPIN:
      "Run the command on a terminal, or use --passphrase-fd to read it from a file descriptor."
    case .pin:
      "Run the command on a terminal, use --passphrase-fd to read it from a file descriptor, or name the file of the PIN with "
        + "pin-source in the URI."
    case .importPassphrase:
      "Run the command on a terminal, or use --source-passphrase-fd to read it from a file descriptor."
    }
  }

  private static func text(for error: HapticError) -> String? {
    switch error {
    case .noDevice: "Connect a gamepad; `tessera haptic devices` lists what can be used."
    case .notADevice: "Specify the event node of a device that `tessera haptic devices` lists."
    case .accessDenied: "Run `tessera doctor` for the reason and a command that corrects it."
    case .cannotRumble: "Use another device that `tessera haptic devices` lists."
    case .nothingFelt: "Try again, or use another device that `tessera haptic devices` lists."
    case .disconnected, .failed, .devicesUnavailable, .interrupted, .unserved: nil
    }
  }

  private static func text(for error: TrustError) -> String? {
    switch error {
    case .inFile(_, let error): text(for: error)
    case .signerNotTrusted:
      "Get the certificate of that country signer from the authority, compare its fingerprint with the one that the "
        + "authority publishes elsewhere, and name it with --root FILE, or --root FINGERPRINT."
    case .issuerUnknown(_, _, .some):
      "Compare the fingerprint with the one that the authority publishes, and name it with --root FILE, or --root "
        + "FINGERPRINT."
    case .notFound: "Run `tessera trust list` to list the certificates."
    default: nil
    }
  }
}
