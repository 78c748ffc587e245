import Failures

/// What can go wrong between a program and a card.
public enum CardError: Error, Sendable, Equatable {
  /// The PC/SC daemon does not answer.
  case serviceUnavailable
  /// The PC/SC daemon runs and does not answer.
  case serviceUnresponsive
  /// The daemon refuses this user.
  case accessDenied
  case noReader
  case readerNotFound(name: String)
  /// More than one reader would do.
  case ambiguousReader(names: [String])
  /// No card came within the time given.
  case noCard(seconds: Int)
  /// Another program holds the card for itself.
  case readerInUse(reader: String)
  /// The card answers no ISO/IEC 14443-4 or ISO/IEC 7816 commands.
  case notSmartCard
  /// The card left the field or the slot.
  case cardRemoved
  /// The card is there and has not answered in time.
  case mute
  /// Somebody else reset the card.
  case cardReset
  /// The reader reported a transmission error and the card is still there.
  case transmission(code: UInt32)
  case truncatedResponse(Int)
  case commandTooLong
  /// The reader cannot carry a command of so many bytes.
  case commandTooLongForReader(length: Int, limit: Int)
  /// Any other answer of the PC/SC service.
  case service(operation: String, code: UInt32)
  /// Neither stack has a reader, and the PC/SC service does not even run.
  case noReaderAnywhere

  // MARK: - Devices of libnfc

  /// What should name a device to libnfc does not.
  case malformedConnstring
  case deviceNotFound(reader: String)
  /// The device's node cannot be opened by this user.
  case deviceAccessDenied(reader: String, node: String)
  /// Another program has the device, or one that was killed left its mark on it.
  case deviceInUse(reader: String)
  /// The kernel's own NFC driver has it.
  case deviceHeldByKernel(reader: String, driver: String)
  /// The device went away while it was used.
  case readerRemoved(reader: String)
  /// The device is there and does not answer as it should.
  case readerFailed(reader: String)
  /// A libnfc that is not known well enough to be driven safely.
  case unknownLibNFC(version: String)
  /// libnfc cannot wait for file descriptors beyond 1023.
  case tooManyOpenFiles
}

extension CardError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .serviceUnavailable:
      Failure(
        .serviceUnavailable, "The PC/SC service (pcscd) is not running.",
        remedy: "Install and start it: apt-get install pcscd && systemctl start pcscd.socket")
    case .serviceUnresponsive:
      Failure(
        .serviceUnavailable, "The PC/SC service (pcscd) does not answer.",
        remedy: "Restart it: systemctl restart pcscd")
    case .accessDenied:
      Failure(
        .serviceUnavailable, "The PC/SC service does not let this user talk to readers.",
        remedy: "Run from a local session, or "
          + "allow org.debian.pcsc-lite.access_pcsc and access_card with a polkit rule.")
    case .noReader:
      Failure(
        .noReader, "No card reader is connected.",
        remedy: "Plug in a contactless reader, see that `tessera readers` lists it, and try again.")
    case .noReaderAnywhere:
      Failure(
        .serviceUnavailable,
        "The PC/SC service (pcscd) is not running, and there is no device that libnfc could drive.",
        remedy: "Install and start it: apt-get install pcscd && systemctl start pcscd.socket; "
          + "or plug in a PN53x reader; one on a serial line is named by --nfc.")
    case .readerNotFound(let name):
      Failure(
        .noReader, "No reader's name contains \"\(name)\".", remedy: "`tessera readers` lists the names.")
    case .ambiguousReader(let names):
      Failure(
        .ambiguousReader, "More than one reader fits: \(names.map { "\"\($0)\"" }.joined(separator: ", ")).",
        remedy: "Name one with --reader; a unique part of the name is enough.")
    case .noCard(let seconds):
      Failure(
        .noCard, "No contactless card came within \(seconds) second\(seconds == 1 ? "" : "s").",
        remedy: "Lay the document flat on the reader, or wait longer with --wait SECONDS.")
    case .readerInUse(let reader):
      Failure(
        .noCard, "Another program has the card in \"\(reader)\" for itself.",
        remedy: "Close that program and try again.")
    case .notSmartCard:
      Failure(
        .notSmartCard, "The card on the reader does not answer as a smart card (ISO/IEC 14443-4).",
        remedy: "Lay the passport on the reader, and no other card with it.")
    case .cardRemoved:
      Failure(
        .cardLost, "The card left the reader before the read was complete.",
        remedy: "Leave the document on the reader until the read has ended, and try again.")
    case .mute:
      Failure(
        .cardLost, "The card has stopped answering.",
        remedy: "Take the document off the reader, lay it on again and repeat.")
    case .cardReset:
      Failure(
        .cardLost, "Another program reset the card during the read.", remedy: "Close that program and try again.")
    case .transmission(let code):
      Failure(
        .cardLost, "The reader lost contact with the card.",
        remedy: "Move the document to the middle of the reader and try again.", details: ["code": hexadecimal(code)])
    case .truncatedResponse(let count):
      Failure(.protocolViolation, "The chip's answer has \(count) bytes, too few for a status word.")
    case .commandTooLong:
      Failure(.internalError, "A command is longer than an APDU can be.")
    case .commandTooLongForReader(let length, let limit):
      Failure(
        .protocolViolation, "The reader cannot carry a command of \(length) bytes; its limit is \(limit).",
        remedy: "Use a PC/SC reader with extended length.")
    case .malformedConnstring:
      Failure(
        .usage, "That does not name a device to libnfc.",
        remedy: "A driver and a place, for example pn532_uart:/dev/ttyUSB0.")
    case .deviceNotFound(let reader):
      Failure(
        .noReader, "There is no device at \"\(reader)\".",
        remedy: "Plug it in; `tessera readers` lists the devices on USB.")
    case .deviceAccessDenied(let reader, let node):
      Failure(
        .serviceUnavailable, "This user may not open \"\(reader)\" (\(node)).",
        remedy: node.hasPrefix("/dev/bus/usb")
          ? "Install udev/70-tessera-nfc.rules as its head says, and plug the reader in again."
          : "Allow it: sudo usermod -aG \"$(stat -c %G \(node))\" \"$USER\", and log in again.")
    case .deviceInUse(let reader):
      Failure(
        .noReader, "Another program has \"\(reader)\" for itself.",
        remedy: "Close that program (pcscd, where it drives the reader: use it by --reader); "
          + "where there is none, plug the reader in again.")
    case .deviceHeldByKernel(let reader, let driver):
      Failure(
        .noReader, "The kernel's driver \(driver) has \"\(reader)\" for itself.",
        remedy: "Take it off: sudo modprobe -r \(driver); udev/70-tessera-nfc.rules says how it stays off.")
    case .readerRemoved(let reader):
      Failure(
        .cardLost, "The reader \"\(reader)\" was unplugged.", remedy: "Plug it in again and repeat.")
    case .readerFailed(let reader):
      Failure(
        .noReader, "The reader \"\(reader)\" does not answer as a reader of libnfc's should.",
        remedy: "See that driver and place are right (`tessera readers`), and plug it in again.")
    case .unknownLibNFC(let version):
      Failure(
        .serviceUnavailable,
        "Tessera uses libnfc 1.8.0 with PN53x devices only. This is libnfc \(PrintableText.of(version)), or a device with "
          + "another chip.",
        remedy: "Install libnfc 1.8.0 and use a PN532 or PN533 device, or use a PC/SC reader.")
    case .tooManyOpenFiles:
      Failure(
        .noReader, "This process has too many open files for libnfc, which cannot wait for those beyond 1023.",
        remedy: "Use a PC/SC reader, or run the read in a process of its own.")
    case .service(let operation, let code):
      Failure(
        .serviceUnavailable, "The PC/SC service failed in \(operation).",
        remedy: "Look at the log of pcscd, and plug the reader in again.", details: ["pcsc": hexadecimal(code)])
    }
  }

  private func hexadecimal(_ code: UInt32) -> String { "0x" + String(code, radix: 16, uppercase: true) }
}
