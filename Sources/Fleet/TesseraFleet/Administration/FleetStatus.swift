#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The state of a fleet at one moment: its inspectors, the desks that they saw, the record and the country certificates.
package struct FleetStatus: Sendable, Equatable {
  /// The stream of the records.
  package struct Record: Sendable, Equatable {
    /// The records and the parts of dumps.
    package var messages: Int
    package var bytes: Int
    /// When the oldest and the newest record was stored, by the servers' clock; nil if there is none.
    package var first: Date?
    package var last: Date?
    /// The number of servers that keep each record.
    package var replicas: Int
    /// How many of them are behind or cannot be reached.
    package var lagging: Int
    /// The server that accepts records; nil while there is none, and without a cluster.
    package var leader: String?

    package init(
      messages: Int, bytes: Int, first: Date?, last: Date?, replicas: Int, lagging: Int = 0, leader: String?
    ) {
      self.messages = messages
      self.bytes = bytes
      self.first = first
      self.last = last
      self.replicas = replicas
      self.lagging = lagging
      self.leader = leader
    }
  }

  /// A desk, over all inspectors.
  package struct Desk: Sendable, Equatable {
    package let name: String
    package let software: String
    package let reads: Int
    /// The seconds since its last read began.
    package let age: Int
  }

  /// The inspectors that answered, sorted by name.
  package var inspectors: [InspectorStatus]
  /// The number of answers that cannot be decoded, for example those of another version.
  package var unreadable: Int
  /// nil if there is no stream, or it does not answer.
  package var record: Record?
  /// Whether the servers say that there is no stream for records.
  package var lacksRecord = false
  /// The version of the fleet's country certificates; nil if there are none, or the servers do not answer.
  package var trustVersion: UInt64?

  package init(inspectors: [InspectorStatus], unreadable: Int = 0, record: Record? = nil, trustVersion: UInt64? = nil) {
    self.inspectors = inspectors.sorted { $0.inspector < $1.inspector }
    self.unreadable = unreadable
    self.record = record
    self.trustVersion = trustVersion
  }

  /// Whether an inspector judges with an older version than the newest. One with certificates of its own never lags.
  package func lags(_ inspector: InspectorStatus) -> Bool {
    if inspector.trustProblem != nil { return true }
    guard let trustVersion, let version = inspector.trustVersion else { return false }
    return version != trustVersion
  }

  /// The desks of the last 24 hours, the one with the newest read first.
  package var desks: [Desk] {
    var desks: [String: Desk] = [:]
    for desk in inspectors.flatMap(\.desks) {
      let known = desks[desk.desk]
      desks[desk.desk] = Desk(
        name: desk.desk, software: known.map { $0.age <= desk.age } == true ? known?.software ?? "" : desk.software,
        reads: desk.reads + (known?.reads ?? 0), age: min(desk.age, known?.age ?? desk.age))
    }
    return desks.values.sorted { ($0.age, $0.name) < ($1.age, $1.name) }
  }

  /// The number of finished reads by outcome, over all inspectors.
  package var reads: [String: Int] {
    inspectors.reduce(into: [:]) { sums, inspector in sums.merge(inspector.reads) { $0 + $1 } }
  }
}
