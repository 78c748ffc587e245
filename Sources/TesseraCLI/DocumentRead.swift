import Tessera
import TesseraCommandLine

/// Reads a document with a progress line. Ctrl-C releases the card before the program exits.
struct DocumentRead: Sendable {
  let source: CardSource
  let request: InspectionRequest
  let trace: TraceFile?

  func run() async throws -> DocumentDump {
    let line = ProgressLine()
    defer { line.clear() }
    return try await Interruption.cancelling {
      try await source.withCard(onWaiting: { line.waiting() }) { card in
        try await Inspection.read(traced(card), request) { line.follow($0) }
      }
    }
  }

  private func traced(_ card: Card) -> Card {
    guard let trace else { return card }
    return card.replacing(channel: TracingChannel(card.channel, plain: trace.isPlain) { trace.write($0) })
  }
}
