import ArgumentParser
import Tessera
import TesseraCommandLine

struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers", abstract: "Lists PC/SC readers and libnfc devices, and the cards in them.",
    discussion: """
      libnfc devices on a serial line are listed only if LIBNFC_DEVICE or /etc/nfc/libnfc.conf names them. With \
      --watch, a libnfc device is not polled for cards, since polling requires exclusive access to the device.

      Examples:
        tessera readers
        tessera readers --watch --json
      """)

  @Flag(help: "Report connected readers and inserted cards until Ctrl-C.")
  var watch = false

  @Flag(help: "Print one JSON object; with --watch, one object per line.")
  var json = false

  func run() async throws {
    if watch { return try await follow() }
    let readers: [CardReader]
    do { readers = try await Readers.now() } catch CardError.noReaderAnywhere { throw Self.nothingToList }
    if json {
      try StandardOutput.write((["readers": .array(readers.map(Self.object))] as JSONValue).text)
    } else {
      for reader in readers { try StandardOutput.write(Terminal.printable(Self.line(reader))) }
    }
    guard readers.isEmpty else { return }
    // The list is printed already: standard output remains one JSON object.
    throw ExitCode(ErrorOutput.report(CardError.noReader.failure, asJSON: false))
  }

  private func follow() async throws {
    let json = json
    do {
      try await Interruption.cancelling {
        if await Readers.areUnreachable() {
          Note.write("\(Self.nothingToList.description) This command waits for that.")
        }
        for try await event in Readers.events(waitsForService: true) {
          try StandardOutput.write(json ? Self.object(event).text : Terminal.printable(Self.line(event)))
        }
      }
    } catch is CancellationError {
      // A signal is the regular end of this command.
    }
    // Also if the events of a cancelled task ended without an error.
    try Interruption.endRegularly(after: Interruption.signalNumber)
  }

  /// This command has no `--nfc`.
  private static var nothingToList: Failure {
    var failure = CardError.noReaderAnywhere.failure
    failure.remedy = CommandRemedy.withoutReader(
      naming: "LIBNFC_DEVICE", "LIBNFC_DEVICE=pn532_uart:/dev/ttyUSB0")
    return failure
  }

  private static func line(_ reader: CardReader) -> String {
    var state = reader.card.map(describe) ?? reader.error?.failure.cause ?? "no card"
    if reader.isInUse, reader.error == nil { state += " (in use by another program)" }
    guard case .libnfc(let connstring) = reader.interface else { return "\(reader.name): \(state)" }
    return reader.name == connstring.text
      ? "\(connstring.text) (libnfc): \(state)" : "\(reader.name) (libnfc, \(connstring.text)): \(state)"
  }

  private static func describe(_ card: AnswerToReset) -> String {
    let kind =
      card.isStorageCard ? "contactless storage card" : card.isContactless ? "contactless card" : "contact card"
    return "\(kind), ATR \(card.bytes.hexadecimal)"
  }

  private static func object(_ card: AnswerToReset) -> JSONValue {
    ["atr": .string(card.bytes.hexadecimal), "contactless": .bool(card.isContactless)]
  }

  private static func object(_ reader: CardReader) -> JSONValue {
    var fields: JSONObject = [
      "name": .string(reader.name), "interface": "PC/SC", "card": reader.card.map { object($0) } ?? nil,
      "inUse": .bool(reader.isInUse),
    ]
    if case .libnfc(let connstring) = reader.interface {
      fields["interface"] = "libnfc"
      fields["connstring"] = .string(connstring.text)
    }
    if let error = reader.error { fields["obstacle"] = .string(error.failure.description) }
    return .object(fields)
  }

  private static func line(_ event: ReaderEvent) -> String {
    switch event {
    case .readerAdded(let reader) where reader.interface != .pcsc: "+ \(reader.name): connected"
    case .readerAdded(let reader): "+ \(line(reader))"
    case .readerRemoved(let name): "- \(name): disconnected"
    case .cardInserted(let reader, let card): "  \(reader): \(describe(card))"
    case .cardRemoved(let reader): "  \(reader): card removed"
    case .serviceStopped: "- The PC/SC service (pcscd) has stopped. Its readers are listed again after it restarts."
    }
  }

  private static func object(_ event: ReaderEvent) -> JSONValue {
    switch event {
    case .readerAdded(let reader): ["event": "readerAdded", "reader": object(reader)]
    case .readerRemoved(let name): ["event": "readerRemoved", "reader": ["name": .string(name)]]
    case .cardInserted(let reader, let card):
      ["event": "cardInserted", "reader": ["name": .string(reader)], "card": object(card)]
    case .cardRemoved(let reader): ["event": "cardRemoved", "reader": ["name": .string(reader)]]
    case .serviceStopped: ["event": "serviceStopped"]
    }
  }
}
