package import TesseraPassport

/// What a desk states of its exchanges with the chip.
package struct TransportStatement: Codable, Sendable, Equatable {
  package var exchanges: Int
  package var bytesSent: Int
  package var bytesReceived: Int
  /// The duration of the read.
  package var milliseconds: Int

  package init(_ statistics: TransportStatistics, duration: Duration) {
    exchanges = statistics.exchanges
    bytesSent = statistics.bytesSent
    bytesReceived = statistics.bytesReceived
    milliseconds = Int(max(.zero, min(duration, .seconds(86_400))) / .milliseconds(1))
  }

  /// Larger than any number of a read, and small enough to add and convert without an overflow.
  private static let largestNumber = 1 << 40

  /// - Throws: `FleetError` with the code `malformed`.
  package func add(to dump: inout DocumentDump) throws(FleetError) {
    guard [exchanges, bytesSent, bytesReceived, milliseconds].allSatisfy({ (0...Self.largestNumber).contains($0) })
    else { throw FleetError(.malformed) }
    dump.statistics.exchanges = exchanges
    dump.statistics.bytesSent = bytesSent
    dump.statistics.bytesReceived = bytesReceived
    dump.duration = .milliseconds(milliseconds)
  }
}
