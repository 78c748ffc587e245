package import TesseraJSON

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
