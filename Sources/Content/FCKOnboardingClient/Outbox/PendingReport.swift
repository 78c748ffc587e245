import TesseraJSON

/// A report of a completion that is in the record, since it is written together with the flag of the placement. It moves
/// into the outbox of its environment.
struct PendingReport: Sendable, Equatable {
  let environment: FCKEnvironment
  let entry: OutboxEntry

  init(_ environment: FCKEnvironment, _ entry: OutboxEntry) {
    self.environment = environment
    self.entry = entry
  }

  /// Reads `{"environment": "sandbox", "report": {…}}`.
  ///
  /// - Returns: nil if it is damaged.
  init?(_ json: JSONValue) {
    guard let environment = json["environment"]?.stringValue.flatMap({ FCKEnvironment(rawValue: $0) }),
      let entry = json["report"].flatMap({ OutboxEntry($0) })
    else { return nil }
    self.init(environment, entry)
  }

  var json: JSONValue { ["environment": .string(environment.rawValue), "report": entry.json] }
}
