import Tessera
import TesseraCommandLine

/// Reads a document with a progress line. Ctrl-C releases the card before the program exits.
struct DocumentRead: Sendable {
  let source: CardSource
  let request: InspectionRequest
  let trace: TraceFile?
  /// The readings of a scan of which the request's key is the most probable one; nil if there is no doubt.
  var scan: ScannedKeys?

  func run() async throws -> DocumentDump {
    let line = ProgressLine()
    defer { line.clear() }
    let tries = scan.map { KeyTries($0, line) }
    var request = request
    if let tries { request.keyAfterRefusal = { try tries.key(after: $0) } }
    do {
      return try await read(request, line, tries)
    } catch PassportError.pace(let error) where error.isAboutPassword {
      // In the words of the kind of key that was given.
      throw error.failure(of: request.key)
    }
  }

  private func read(
    _ request: InspectionRequest, _ line: ProgressLine, _ tries: KeyTries?
  ) async throws -> DocumentDump {
    try await Interruption.cancelling {
      var dump = try await source.withCard(onWaiting: { line.waiting() }) { card in
        try await Inspection.read(traced(card), request) { line.follow($0) }
      }
      tries?.record(in: &dump)
      return dump
    }
  }

  private func traced(_ card: Card) -> Card {
    guard let trace else { return card }
    return card.replacing(channel: TracingChannel(card.channel, plain: trace.isPlain) { trace.write($0) })
  }
}

extension PACEError {
  /// Whether the chip refused the password itself.
  fileprivate var isAboutPassword: Bool {
    switch self {
    case .wrongPassword, .passwordSuspended, .passwordBlocked, .passwordUnknown: true
    default: false
    }
  }
}
