internal import TesseraCore
internal import TesseraFleet
internal import TesseraJSON
internal import TesseraNATS
internal import TesseraVerification

/// What the stream of records has, as an administrator sees it.
package enum LoadRecords {
  private static let stream = RecordStream.name

  /// The server that accepts records. Waits while the servers elect one.
  package static func leader(_ servers: LoadServers) async throws -> String {
    try await withAdministrator(servers) { stream in
      guard let leader = try await awaitState(of: stream, { $0.leader != nil })?.leader else {
        throw Failure(.serviceUnavailable, "The stream has no leader.")
      }
      return leader
    }
  }

  /// Waits until every server has a current copy.
  package static func awaitReplicas(_ servers: LoadServers) async throws {
    try await withAdministrator(servers) { stream in
      let state = try await awaitState(of: stream) { $0.leader != nil && $0.laggingReplicas == 0 }
      if state == nil { throw Failure(.serviceUnavailable, "A server does not have the records of the others.") }
    }
  }

  /// The bytes of the stream, in one line.
  package static func size(_ servers: LoadServers) async throws -> String {
    let state: StreamState = try await withAdministrator(servers) { try await Self.state($0) }
    return "the stream has \(state.messages) records, \(state.bytes / max(1, state.messages)) bytes each on each server"
  }

  /// The first state that fulfils the condition; nil if there is none within five minutes.
  private static func awaitState(
    of stream: JetStream, _ condition: (StreamState) -> Bool
  ) async throws -> StreamState? {
    let end = ContinuousClock.now + .seconds(300)
    while .now < end {
      if let state = try? await state(stream), condition(state) { return state }
      try await Task.sleep(for: .milliseconds(200))
    }
    return nil
  }

  /// All records.
  ///
  /// - Parameter count: the number that the desks know of. Records that wait in a spool come a while later.
  package static func all(_ servers: LoadServers, awaiting count: Int) async throws -> [LoadCheck.Record] {
    try await withAdministrator(servers) { stream in
      _ = try await awaitState(of: stream) { $0.messages >= count && $0.laggingReplicas == 0 }
      let last = try await state(stream).lastSequence
      var records: [LoadCheck.Record] = []
      var sequence: UInt64 = 1
      while sequence <= last {
        guard let message = try await stream.message(in: self.stream, matching: "tessera.record.*.*", from: sequence)
        else { return records }
        records.append(try record(message))
        sequence = message.sequence + 1
      }
      return records
    }
  }

  private static func record(_ message: StoredMessage) throws -> LoadCheck.Record {
    let tokens = message.subject.split(separator: ".").map(String.init)
    let json = try JSONValue(text: String(decoding: message.payload, as: UTF8.self))
    guard tokens.count == 4, let read = FleetReadID(tokens[3]),
      let outcome = json["outcome"]?.stringValue.flatMap(Outcome.init)
    else { throw Failure(.checkFailed, "A record cannot be read: \(message.subject)") }
    let reason = json["reason"]?.stringValue.flatMap(OutcomeReason.init)
    return LoadCheck.Record(desk: tokens[2], read: read, result: LoadResult(outcome, reason))
  }

  private static func state(_ stream: JetStream) async throws -> StreamState {
    guard let state = try await stream.stream(self.stream) else {
      throw Failure(.serviceUnavailable, "There is no stream of records.")
    }
    return state
  }

  private static func withAdministrator<Result>(
    _ servers: LoadServers, _ body: (JetStream) async throws -> Result
  ) async throws -> Result {
    let connection = try await servers.connectAdministrator()
    do {
      let result = try await body(JetStream(connection))
      await connection.close()
      return result
    } catch {
      await connection.close()
      throw error
    }
  }
}
