import ArgumentParser
import Foundation
import Tessera

struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers", abstract: "Lists the readers of PC/SC and libnfc, and the cards in them.",
    discussion: """
      A device of libnfc's on a serial line is listed where LIBNFC_DEVICE or /etc/nfc/libnfc.conf names it. With --watch,
      of libnfc's devices only plugging is told, since to look for cards would take them from other programs.

      Examples:
        tessera readers
        tessera readers --watch --json
      """)

  @Flag(help: "Follow plugging and tapping until Ctrl-C.")
  var watch = false

  @Flag(help: "Print JSON: one object, or with --watch one object a line.")
  var json = false

  func run() async throws {
    if watch { return try await follow() }
    let readers = try await Readers.now()
    if json {
      try StandardOutput.write((["readers": .array(readers.map(Self.object))] as JSONValue).text)
    } else {
      for reader in readers { try StandardOutput.write(Terminal.printable(Self.line(reader))) }
    }
    guard readers.isEmpty else { return }
    // The list has been told, as an empty one: standard output stays one JSON object.
    throw ExitCode(ErrorOutput.report(CardError.noReader.failure, asJSON: false))
  }

  private func follow() async throws {
    let json = json
    do {
      try await Interruption.cancelling {
        for try await event in Readers.events() {
          try StandardOutput.write(json ? Self.object(event).text : Terminal.printable(Self.line(event)))
        }
      }
    } catch is CancellationError {
      // Ctrl-C is how this command ends.
    }
  }

  private static func line(_ reader: CardReader) -> String {
    var state = reader.card.map(describe) ?? reader.obstacle?.failure.cause ?? "no card"
    if reader.isInUse, reader.obstacle == nil { state += " (in use by another program)" }
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
    if let obstacle = reader.obstacle { fields["obstacle"] = .string(obstacle.failure.description) }
    return .object(fields)
  }

  private static func line(_ event: ReaderEvent) -> String {
    switch event {
    case .readerAdded(let reader) where reader.interface != .pcsc: "+ \(reader.name): plugged in"
    case .readerAdded(let reader): "+ \(line(reader))"
    case .readerRemoved(let name): "- \(name): unplugged"
    case .cardInserted(let reader, let card): "  \(reader): \(describe(card))"
    case .cardRemoved(let reader): "  \(reader): card removed"
    case .serviceStopped: "- The PC/SC service (pcscd) has stopped; its readers are listed again when it runs."
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
