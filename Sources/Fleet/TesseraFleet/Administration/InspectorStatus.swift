internal import TesseraCore

/// The answer of an inspector to `tessera.status.ping`.
package struct InspectorStatus: FleetMessage, Equatable {
  /// The random name of the process.
  package var inspector: String
  /// The version of its software.
  package var software: String
  /// The seconds since it started.
  package var uptime: Int
  /// The number of finished reads by outcome.
  package var reads: [String: Int]
  package var underWay: Int
  package var spooled: Int
  /// The seconds since the oldest record was spooled.
  package var oldestSpooled: Int?
  package var trustVersion: UInt64?
  package var trustProblem: String?
  package var desks: [Desk]
  package var furtherDesks: Int
  /// The number of messages of desks that were dropped.
  package var dropped: Int
  /// The number of publications and subscriptions that the server refused.
  package var notPermitted: Int
  /// By how many seconds its clock is ahead of its server's.
  package var clockDifference: Int?

  package struct Desk: Codable, Sendable, Equatable {
    package var desk: String
    package var software: String
    package var reads: Int
    /// The seconds since its last read began.
    package var age: Int
  }

  package init(
    inspector: FleetIdentifier, uptime: Duration, figures: InspectorFigures, spool: SpoolFigures, trust: TrustFigures
  ) {
    self.inspector = inspector.text
    software = TesseraVersion.current
    self.uptime = Int(uptime.components.seconds)
    reads = figures.reads
    underWay = figures.underWay
    spooled = spool.records
    oldestSpooled = spool.oldest
    trustVersion = trust.version
    trustProblem = trust.problem
    desks = figures.desks.map { Desk(desk: $0.desk, software: $0.software, reads: $0.reads, age: $0.age) }
    furtherDesks = figures.furtherDesks
    dropped = figures.dropped
    notPermitted = figures.notPermitted
    clockDifference = figures.clockDifference
  }

  /// The bytes of an answer: 512 desks take some 60 KB.
  package static let maximumSize = 256 << 10

  /// Decodes an answer, and cuts it to what can be shown.
  ///
  /// - Throws: `FleetError`: `.tooLarge`, `.unknownVersion`, `.malformed`.
  package init(_ bytes: [UInt8]) throws(FleetError) {
    self = try FleetCoding.decode(InspectorStatus.self, from: bytes, limit: Self.maximumSize)
    guard FleetIdentifier(inspector) != nil, desks.allSatisfy({ DeskName($0.desk) != nil }) else {
      throw FleetError(.malformed)
    }
    let numbers =
      [uptime, underWay, spooled, oldestSpooled ?? 0, furtherDesks, dropped, notPermitted] + reads.values
      + desks.flatMap { [$0.reads, $0.age] }
    // A sum of the numbers of a thousand inspectors does not overflow.
    guard numbers.allSatisfy({ 0...(1 << 50) ~= $0 }), -(1 << 50)...(1 << 50) ~= clockDifference ?? 0 else {
      throw FleetError(.malformed)
    }
    guard reads.count <= 64, desks.count <= ReadLedger.maximumReported else { throw FleetError(.tooLarge) }
    software = Self.printable(software)
    trustProblem = trustProblem.map(Self.printable)
    reads = Dictionary(reads.map { (Self.printable($0.key), $0.value) }) { $0 + $1 }
    for index in desks.indices { desks[index].software = Self.printable(desks[index].software) }
  }

  /// Whether its clock differs from the server's by so much that it judges nothing.
  package var hasWrongClock: Bool { abs(clockDifference ?? 0) > InspectorClock.tolerance }

  private static func printable(_ text: String) -> String { PrintableText.of(String(text.prefix(64))) }
}
