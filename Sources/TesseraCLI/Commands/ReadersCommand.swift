import ArgumentParser
import Foundation
import Tessera

struct ReadersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readers", abstract: "Lists the PC/SC readers and the cards in them.",
    discussion: """
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
    let readers = try await PCSCContext().readers()
    if json {
      try StandardOutput.write((["readers": .array(readers.map(Self.object))] as JSONValue).text)
    } else {
      for reader in readers { try StandardOutput.write(Self.line(reader)) }
    }
    guard readers.isEmpty else { return }
    // The list has been told, as an empty one: standard output stays one JSON object.
    throw ExitCode(ErrorOutput.report(CardError.noReader.failure, asJSON: false))
  }

  private func follow() async throws {
    let json = json
    do {
      try await Interruption.cancelling {
        for try await event in PCSCContext.events() {
          try StandardOutput.write(json ? Self.object(event).text : Self.line(event))
        }
      }
    } catch is CancellationError {
      // Ctrl-C is how this command ends.
    }
  }

  private static func line(_ reader: CardReader) -> String {
    let state = reader.card.map(describe) ?? "no card"
    return "\(reader.name): \(state)\(reader.isInUse ? " (in use by another program)" : "")"
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
    [
      "name": .string(reader.name), "interface": "PC/SC", "card": reader.card.map { object($0) } ?? nil,
      "inUse": .bool(reader.isInUse),
    ]
  }

  private static func line(_ event: ReaderEvent) -> String {
    switch event {
    case .readerAdded(let reader): "+ \(line(reader))"
    case .readerRemoved(let name): "- \(name): unplugged"
    case .cardInserted(let reader, let card): "  \(reader): \(describe(card))"
    case .cardRemoved(let reader): "  \(reader): card removed"
    }
  }

  private static func object(_ event: ReaderEvent) -> JSONValue {
    switch event {
    case .readerAdded(let reader): ["event": "readerAdded", "reader": object(reader)]
    case .readerRemoved(let name): ["event": "readerRemoved", "reader": ["name": .string(name)]]
    case .cardInserted(let reader, let card):
      ["event": "cardInserted", "reader": ["name": .string(reader)], "card": object(card)]
    case .cardRemoved(let reader): ["event": "cardRemoved", "reader": ["name": .string(reader)]]
    }
  }
}
