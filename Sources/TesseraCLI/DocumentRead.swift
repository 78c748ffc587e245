import Tessera

/// One read with progress on the terminal, given back cleanly on Ctrl-C.
struct DocumentRead: Sendable {
  let source: CardSource
  let request: InspectionRequest
  let trace: TraceFile?

  func run() async throws -> DocumentDump {
    let line = ProgressLine()
    defer { line.clear() }
    return try await Interruption.cancelling {
      var card = try await source.card(onWaiting: { line.waiting() })
      if let trace {
        card = card.replacing(
          channel: TracingChannel(card.channel, plain: trace.isPlain) { trace.write($0) })
      }
      do {
        let dump = try await Inspection.read(card, request) { line.follow($0) }
        await card.disconnect()
        return dump
      } catch {
        await card.disconnect()
        throw error
      }
    }
  }
}
