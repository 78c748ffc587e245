package import TesseraJSON
package import TesseraNATS

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension FleetStatus {
  /// More answers than a fleet has inspectors.
  private static let maximumAnswers = 4096

  /// Asks the inspectors and the servers. What does not answer is missing in the result.
  ///
  /// - Parameter time: How long to wait for the inspectors. Their number is not known, so this time always passes.
  /// - Throws: `NATSError` if the connection is interrupted or closed, the server refuses this key, or has no JetStream;
  ///   `CancellationError`.
  package static func gather(
    _ connection: NATSConnection, within time: Duration = .milliseconds(700)
  ) async throws -> FleetStatus {
    async let record = record(connection)
    async let version = version(connection)
    let answers = try await connection.requestMany(FleetSubject.ping, [], within: time)
    var inspectors: [String: InspectorStatus] = [:]
    var unreadable = 0
    for answer in answers.prefix(maximumAnswers) {
      if let status = try? InspectorStatus(answer.payload) {
        inspectors[status.inspector] = status
      } else {
        unreadable += 1
      }
    }
    let (stored, isMissing) = try await record
    var status = FleetStatus(
      inspectors: Array(inspectors.values), unreadable: unreadable, record: stored, trustVersion: try await version)
    status.lacksRecord = isMissing
    return status
  }

  /// - Returns: nil if there are none, or the servers do not answer.
  private static func version(_ connection: NATSConnection) async throws -> UInt64? {
    do {
      return try await TrustBucket(connection).version()
    } catch is TrustBucketError {
      return nil
    }
  }

  /// - Returns: nil if there is no stream, or the servers do not answer.
  private static func record(_ connection: NATSConnection) async throws -> (Record?, isMissing: Bool) {
    let state: StreamState?
    do {
      state = try await JetStream(connection).stream(RecordStream.name)
    } catch let error as NATSError where !error.isAnswerOfServer {
      return (nil, false)
    }
    guard let state else { return (nil, true) }
    let record = Record(
      messages: state.messages, bytes: state.bytes, first: date(state.firstTime, state),
      last: date(state.lastTime, state),
      replicas: state.replicas, lagging: state.laggingReplicas, leader: state.leader)
    return (record, false)
  }

  /// The time to the second; nil if the stream is empty.
  private static func date(_ text: String, _ state: StreamState) -> Date? {
    guard state.messages > 0 else { return nil }
    return try? Date("\(text.prefix { $0 != "." && $0 != "Z" })Z", strategy: .iso8601)
  }
}

extension FleetStatus {
  /// The state as JSON for programs: `inspectors`, `unreadable`, `desks`, `reads`, `record`, `trustVersion`.
  package var json: JSONValue {
    .object([
      "version": 1,
      "inspectors": .array(inspectors.map(json)),
      "unreadable": .integer(Int64(unreadable)),
      "desks": .array(
        desks.map { desk in
          .object([
            "desk": .string(desk.name), "software": .string(desk.software), "reads": .integer(Int64(desk.reads)),
            "lastReadSecondsAgo": .integer(Int64(desk.age)),
          ])
        }),
      "reads": Self.json(reads),
      "record": record.map(Self.json) ?? .null,
      "trustVersion": Self.json(trustVersion),
    ])
  }

  private func json(_ inspector: InspectorStatus) -> JSONValue {
    .object([
      "inspector": .string(inspector.inspector), "software": .string(inspector.software),
      "uptimeSeconds": .integer(Int64(inspector.uptime)), "reads": Self.json(inspector.reads),
      "underWay": .integer(Int64(inspector.underWay)), "spooled": .integer(Int64(inspector.spooled)),
      "oldestSpooledSeconds": inspector.oldestSpooled.map { .integer(Int64($0)) } ?? .null,
      "trustVersion": Self.json(inspector.trustVersion),
      "trustProblem": inspector.trustProblem.map(JSONValue.string) ?? .null, "lags": .bool(lags(inspector)),
      "furtherDesks": .integer(Int64(inspector.furtherDesks)),
      "droppedMessages": .integer(Int64(inspector.dropped)), "notPermitted": .integer(Int64(inspector.notPermitted)),
      "clockAheadSeconds": inspector.clockDifference.map { .integer(Int64($0)) } ?? .null,
    ])
  }

  private static func json(_ record: Record) -> JSONValue {
    .object([
      "messages": .integer(Int64(record.messages)), "bytes": .integer(Int64(record.bytes)),
      "replicas": .integer(Int64(record.replicas)), "lagging": .integer(Int64(record.lagging)),
      "leader": record.leader.map(JSONValue.string) ?? .null,
      "first": record.first.map { .string($0.formatted(.iso8601)) } ?? .null,
      "last": record.last.map { .string($0.formatted(.iso8601)) } ?? .null,
    ])
  }

  private static func json(_ counts: [String: Int]) -> JSONValue {
    .object(JSONObject(counts.mapValues { .integer(Int64($0)) }))
  }

  private static func json(_ number: UInt64?) -> JSONValue {
    number.flatMap(Int64.init(exactly:)).map(JSONValue.integer) ?? .null
  }
}
