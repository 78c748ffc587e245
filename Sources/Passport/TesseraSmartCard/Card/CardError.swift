import TesseraCore

/// An error of a reader, of its driver, or of the connection to a card.
public enum CardError: Error, Sendable, Equatable {
  /// The PC/SC daemon does not run.
  case serviceUnavailable
  /// The PC/SC daemon runs but does not respond.
  case serviceUnresponsive
  /// The PC/SC daemon refuses this user.
  case accessDenied
  /// The PC/SC daemon runs and opens no session.
  case sessionRefused(SessionRefusal)
  case noReader
  case readerNotFound(name: String)
  /// More than one reader matches.
  case ambiguousReader(names: [String])
  /// No card was detected within the time limit.
  case noCard(seconds: Int)
  /// No contactless card was detected within the time limit; this reader has a contact card.
  case contactCardOnly(reader: String, seconds: Int)
  /// Another program has exclusive access to the card.
  case readerInUse(reader: String)
  /// The service does not give access to the card in time. It does not say whether another program has a transaction, or a
  /// command is stuck in the driver.
  case readerBlocked(reader: String)
  /// Another program left the card without power, and keeps a connection to it.
  case cardUnpowered(reader: String)
  /// The card does not answer ISO/IEC 14443-4 or ISO/IEC 7816 commands.
  case notSmartCard
  /// The card was removed from the field or the slot.
  case cardRemoved
  /// The card is present and did not answer in time.
  case mute
  /// Another program reset the card.
  case cardReset
  /// The reader reported a transmission error, and the card is still present.
  case transmission(code: UInt32)
  /// The reader reported success without a response.
  case emptyResponse
  case truncatedResponse(Int)
  /// The chip or the reader failed on a command that it does not support. The card must be powered again.
  case powerCycleNeeded
  case commandTooLong
  /// The reader cannot send a command with this number of bytes.
  case commandTooLongForReader(length: Int, limit: Int)
  /// Any other error of the PC/SC service.
  case service(operation: String, code: UInt32)
  /// Neither stack has a reader, and the PC/SC service does not run.
  case noReaderAnywhere

  // MARK: - libnfc devices

  /// The text is not a connection string.
  case malformedConnstring
  case deviceNotFound(reader: String)
  /// This user has no permission to open the device's node.
  case deviceAccessDenied(reader: String, node: String)
  /// Another program uses the device, or one that was killed left it locked.
  case deviceInUse(reader: String)
  /// A kernel driver uses the device.
  case deviceUsedByKernel(reader: String, driver: String)
  /// The device was unplugged while it was in use.
  case readerRemoved(reader: String)
  /// The device is connected and does not work.
  case readerFailed(reader: String)
  /// The installed libnfc is not a version that is known to be safe.
  case unknownLibNFC(version: String)
  /// libnfc cannot wait for file descriptors above 1023.
  case tooManyOpenFiles
}

/// Why a PC/SC daemon that runs opens no session (pcsc-lite 1.9.9 and 2.3.3).
public enum SessionRefusal: Sendable, Equatable {
  /// The daemon and the library of this program have different protocol versions, as with a container that shares the
  /// socket of its host.
  case otherVersion
  /// The daemon asks polkit, and there is no system bus.
  case noPolkit
  /// The daemon has as many sessions as it can.
  case tooManySessions
  /// The daemon states none of these reasons.
  case unknown
}

extension CardError {
  /// Whether the service may be back soon: it ended, or refuses while it ends or starts.
  package var isServiceLoss: Bool {
    switch self {
    case .serviceUnavailable, .sessionRefused: true
    default: false
    }
  }

  /// Whether the reader failed to exchange a command, and the card is still present.
  package var isTransmissionFailure: Bool {
    switch self {
    case .transmission, .emptyResponse: true
    default: false
    }
  }
}

extension CardError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .serviceUnavailable:
      Failure(
        .serviceUnavailable, "The PC/SC service (pcscd) is not running.",
        remedy: "Start it; the package is pcscd.")
    case .serviceUnresponsive:
      Failure(
        .serviceUnavailable, "The PC/SC service (pcscd) does not respond.",
        remedy: "Restart it.")
    case .accessDenied:
      Failure(
        .serviceUnavailable, "The PC/SC service does not allow this user to access readers.",
        remedy: "Run from a local session, or "
          + "allow org.debian.pcsc-lite.access_pcsc and access_card with a polkit rule. If it worked before, restart the "
          + "service: it opens 200 sessions at most.")
    case .sessionRefused(let reason): reason.failure
    case .noReader:
      Failure(
        .noReader, "No card reader is connected.", remedy: "Plug in a contactless reader and try again.")
    case .noReaderAnywhere:
      Failure(
        .serviceUnavailable,
        "The PC/SC service (pcscd) is not running, and no device for libnfc is connected.",
        remedy: "Start the service, whose package is pcscd, or connect a PN53x reader; one on a serial line must be "
          + "specified by its connection string.")
    case .readerNotFound(let name):
      Failure(
        .noReader, "No reader has a name that contains \"\(name)\".", remedy: "Specify one of the connected readers.")
    case .ambiguousReader(let names):
      Failure(
        .ambiguousReader,
        "More than one reader matches: \(names.map { "\"\($0)\"" }.joined(separator: ", ")).",
        remedy: "Specify one reader by name; a unique part of the name is enough.")
    case .noCard(let seconds):
      Failure(
        .noCard, "No contactless card was detected within \(seconds) second\(seconds == 1 ? "" : "s").",
        remedy: "Place the document flat on the reader, or wait longer.")
    case .contactCardOnly(let reader, let seconds):
      Failure(
        .noCard,
        "No contactless card was detected within \(seconds) second\(seconds == 1 ? "" : "s"). "
          + "The reader \"\(reader)\" has a contact card.",
        remedy: "Place the document flat on a contactless reader. To read the contact card, select its reader by name.")
    case .readerBlocked(let reader):
      Failure(
        .noCard,
        "The card in \"\(reader)\" does not become free: another program is using it, or a command of an earlier "
          + "program is stuck in the driver of the reader.",
        remedy: "Close other programs that use the reader. If there are none, wait a minute, or reconnect the reader.")
    case .cardUnpowered(let reader):
      Failure(
        .noCard, "Another program left the card in \"\(reader)\" without power, and keeps it.",
        remedy: "Close other programs that use the reader.")
    case .readerInUse(let reader):
      Failure(
        .noCard, "Another program has exclusive access to the card in \"\(reader)\".",
        remedy: "Close that program and try again.")
    case .notSmartCard:
      Failure(
        .notSmartCard, "The card on the reader is not a contactless smart card (ISO/IEC 14443-4).",
        remedy: "Place only the passport on the reader, and no other card.")
    case .cardRemoved:
      Failure(
        .cardLost, "The card was removed before the read was complete.",
        remedy: "Try again, and leave the document on the reader until the read has ended.")
    case .mute:
      Failure(
        .cardLost, "The card stopped responding.",
        remedy: "Remove the document from the reader, place it on the reader again and repeat the read.")
    case .cardReset:
      Failure(
        .cardLost, "Another program reset the card during the read.", remedy: "Close that program and try again.")
    case .transmission(let code):
      Failure(
        .cardLost, "The reader lost contact with the card.",
        remedy: "Move the document to the centre of the reader and try again.", details: ["code": hexadecimal(code)])
    case .powerCycleNeeded:
      Failure(
        .cardLost, "The reader lost contact with the card.",
        remedy: "Move the document to the centre of the reader and try again.")
    case .emptyResponse:
      Failure(
        .cardLost, "The reader reported success, but no response of the card.",
        remedy: "Move the document to the centre of the reader and try again.")
    case .truncatedResponse(let count):
      Failure(.protocolViolation, "The chip's response has \(count) bytes, too few for a status word.")
    case .commandTooLong:
      Failure(.internalError, "A command is longer than an APDU can be.")
    case .commandTooLongForReader(let length, let limit):
      Failure(
        .protocolViolation, "The reader cannot send a command of \(length) bytes; its limit is \(limit).",
        remedy: "Use a PC/SC reader that supports extended length.")
    case .malformedConnstring:
      Failure(
        .usage, "This is not a libnfc connection string.",
        remedy: "Specify a driver and an address, for example pn532_uart:/dev/ttyUSB0.")
    case .deviceNotFound(let reader):
      Failure(.noReader, "There is no device at \"\(reader)\".", remedy: "Connect it, or specify another device.")
    case .deviceAccessDenied(let reader, let node):
      Failure(
        .serviceUnavailable, "This user has no permission to open \"\(reader)\" (\(node)).",
        remedy: node.hasPrefix("/dev/bus/usb")
          ? "Install Tessera's udev rules for NFC readers (70-tessera-nfc.rules), and reconnect the reader."
          : "Add the user to the device's group: sudo usermod -aG \"$(stat -c %G \(node))\" \"$USER\", and log in again."
      )
    case .deviceInUse(let reader):
      Failure(
        .noReader, "Another program is using \"\(reader)\".",
        remedy: "Close that program, or read through PC/SC if it is pcscd. If there is none, reconnect the reader.")
    case .deviceUsedByKernel(let reader, let driver):
      Failure(
        .noReader, "The kernel driver \(driver) is using \"\(reader)\".",
        remedy: "Unload the driver: sudo modprobe -r \(driver). "
          + "Tessera's udev rules for NFC readers (70-tessera-nfc.rules) describe how to keep it unloaded.")
    case .readerRemoved(let reader):
      Failure(
        .cardLost, "The reader \"\(reader)\" was unplugged.", remedy: "Reconnect it and try again.")
    case .readerFailed(let reader):
      Failure(
        .noReader, "The reader \"\(reader)\" does not work with libnfc.",
        remedy: "Check the driver and the address, and reconnect the reader.")
    case .unknownLibNFC(let version):
      Failure(
        .serviceUnavailable,
        "Tessera uses libnfc 1.8.0 with PN53x devices only. This is libnfc \(PrintableText.of(version)), or a device with "
          + "another chip.",
        remedy: "Install libnfc 1.8.0 and use a PN532 or PN533 device, or use a PC/SC reader.")
    case .tooManyOpenFiles:
      Failure(
        .noReader, "This process has too many open files for libnfc, which supports descriptors up to 1023.",
        remedy: "Use a PC/SC reader, or run the read in a separate process.")
    case .service(let operation, let code):
      Failure(
        .serviceUnavailable, "The PC/SC service failed in \(operation).",
        remedy: "Check the log of pcscd, and reconnect the reader.", details: ["pcsc": hexadecimal(code)])
    }
  }

  private func hexadecimal(_ code: UInt32) -> String { "0x" + String(code, radix: 16, uppercase: true) }
}

extension SessionRefusal {
  fileprivate var failure: Failure {
    switch self {
    case .otherVersion:
      Failure(
        .serviceUnavailable,
        "The PC/SC service (pcscd) runs and refuses this program: pcscd and libpcsclite1 do not fit together.",
        remedy: "Use the same release of both. In a container, run pcscd there, or install the release of the host.")
    case .noPolkit:
      Failure(
        .serviceUnavailable,
        "The PC/SC service (pcscd) runs and refuses every user: it asks polkit, and there is no system bus.",
        remedy: "Start D-Bus and polkit. In a container, start the service without polkit: pcscd --disable-polkit")
    case .tooManySessions:
      Failure(
        .serviceUnavailable,
        "The PC/SC service (pcscd) runs and opens no more sessions. It has 200 at most, of all programs together.",
        remedy: "End programs that leave sessions open, or restart the service. "
          + "In a container, the polkit of the host may refuse: allow org.debian.pcsc-lite.access_pcsc and access_card there."
      )
    case .unknown:
      Failure(
        .serviceUnavailable, "The PC/SC service (pcscd) accepts connections and opens no session.",
        remedy: "Look into its log: journalctl -u pcscd. It refuses another protocol version (the release of pcscd and "
          + "libpcsclite1 must be the same), polkit without a system bus (in a container: pcscd --disable-polkit), or "
          + "more than 200 sessions.")
    }
  }
}
