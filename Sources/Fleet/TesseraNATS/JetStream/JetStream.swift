internal import TesseraJSON

/// The streams of JetStream, by its JSON requests on `$JS.API` (docs.nats.io, "JetStream wire API").
package struct JetStream: Sendable {
  private let connection: NATSConnection
  /// For one request.
  private let timeout: Duration

  /// Error numbers of JetStream.
  enum ErrorNumber {
    static let streamMissing = 10_059
    static let messageMissing = 10_037
    static let wrongLastSequence = 10_071
    static let storeFailed = 10_077
    static let resources = [10_023, 10_047, 10_028]
    /// Not for this account; not on this server.
    static let disabled = [10_039, 10_076]
    /// No suitable peers; JetStream is temporarily unavailable; no leader.
    static let withoutLeader = [10_005, 10_008, 10_009]
  }

  package init(_ connection: NATSConnection, timeout: Duration = .seconds(5)) {
    self.connection = connection
    self.timeout = timeout
  }

  // MARK: - Streams

  /// Makes a stream, or gives an existing one these limits. While a cluster elects a leader, it tries again.
  ///
  /// - Parameter limit: how long to try.
  /// - Throws: `NATSError.refusedByJetStream`, `.timeout`, `.jetStreamMissing`, and those of a request.
  @discardableResult
  package func createStream(
    _ configuration: StreamConfiguration, within limit: Duration = .seconds(30)
  ) async throws -> StreamState {
    try await prepareStream(configuration, within: limit).state
  }

  /// The same. A stream that has these limits already stays untouched: its server writes nothing.
  ///
  /// - Returns: the state, and whether the stream was made or changed.
  package func prepareStream(
    _ configuration: StreamConfiguration, within limit: Duration = .seconds(30)
  ) async throws -> (state: StreamState, isChanged: Bool) {
    try await prepareStream(configuration.name, within: limit) { _ in configuration }
  }

  /// The same, with limits that depend on those that the stream has; nil if there is none.
  package func prepareStream(
    _ name: String, within limit: Duration = .seconds(30), _ configuration: (StreamState?) -> StreamConfiguration
  ) async throws -> (state: StreamState, isChanged: Bool) {
    let end = ContinuousClock.now + limit
    while true {
      do {
        return try await prepareOnce(name, configuration)
      } catch let error as NATSError where Self.isTemporary(error) && ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(250))
      }
    }
  }

  private func prepareOnce(
    _ name: String, _ configuration: (StreamState?) -> StreamConfiguration
  ) async throws -> (state: StreamState, isChanged: Bool) {
    do {
      let (state, existing) = try await streamAnswer("STREAM.INFO.\(name)", nil)
      let wanted = configuration(state)
      if wanted.agrees(with: existing) { return (state, false) }
      return (try await streamRequest("STREAM.UPDATE.\(name)", wanted.json), true)
    } catch NATSError.streamMissing {
      return (try await streamRequest("STREAM.CREATE.\(name)", configuration(nil).json), true)
    }
  }

  /// A cluster answers with these while it elects.
  private static func isTemporary(_ error: NATSError) -> Bool {
    switch error {
    case .timeout, .noResponders, .disconnected, .congested: true
    case .refusedByJetStream(let number): ErrorNumber.withoutLeader.contains(number)
    default: false
    }
  }

  private func streamRequest(_ subject: String, _ body: JSONValue?) async throws -> StreamState {
    try await streamAnswer(subject, body).state
  }

  /// - Returns: the state of a stream, and its configuration.
  private func streamAnswer(
    _ subject: String, _ body: JSONValue?
  ) async throws -> (state: StreamState, configuration: JSONValue) {
    do {
      let answer = try await request(subject, body)
      guard let state = StreamState(answer) else { throw NATSError.malformedAnswer }
      return (state, answer["config"] ?? .null)
    } catch NATSError.noResponders {
      // With JetStream, somebody receives this question even while a cluster elects. Not every user may ask it.
      do { _ = try await request("INFO", nil) } catch NATSError.noResponders, NATSError.notPermitted {
        throw NATSError.jetStreamMissing
      }
      throw NATSError.noResponders
    }
  }

  /// The state of a stream; nil if it does not exist.
  ///
  /// - Throws: `NATSError.jetStreamMissing`, and those of a request.
  package func stream(_ name: String) async throws -> StreamState? {
    do {
      return try await streamRequest("STREAM.INFO.\(name)", nil)
    } catch NATSError.streamMissing {
      return nil
    }
  }

  /// More than any caller needs; a server could state a new page without end.
  private static let maximumSubjects = 100_000

  /// The subjects of a stream that have messages, of those that match `filter`.
  package func subjects(of name: String, matching filter: String) async throws -> [String] {
    var subjects: [String] = []
    while true {
      let answer = try await request(
        "STREAM.INFO.\(name)",
        ["subjects_filter": .string(filter), "offset": .integer(Int64(subjects.count))])
      guard case .object(let page)? = answer["state"]?["subjects"], !page.isEmpty else { return subjects }
      subjects += page.names
      guard subjects.count <= Self.maximumSubjects else { throw NATSError.malformedAnswer }
      guard let total = answer["total"]?.count, subjects.count < total else { return subjects }
    }
  }

  /// Deletes the messages of a subject.
  package func purge(_ name: String, subject: String) async throws {
    _ = try await request("STREAM.PURGE.\(name)", ["filter": .string(subject)])
  }

  /// Deletes a stream with all its messages.
  package func deleteStream(_ name: String) async throws { _ = try await request("STREAM.DELETE.\(name)", nil) }

  private func request(_ subject: String, _ body: JSONValue?) async throws -> JSONValue {
    let answer = try await connection.request(
      "$JS.API.\(subject)", body.map { Array($0.text.utf8) } ?? [], timeout: timeout)
    return try Self.json(answer.payload)
  }

  /// - Throws: the error that the answer states.
  private static func json(_ payload: [UInt8]) throws -> JSONValue {
    guard let text = String(validating: payload, as: UTF8.self), let json = try? JSONValue(text: text),
      case .object = json
    else { throw NATSError.malformedAnswer }
    guard let error = json["error"] else { return json }
    guard let number = error["err_code"]?.count ?? error["code"]?.count else { throw NATSError.malformedAnswer }
    switch number {
    case ErrorNumber.streamMissing: throw NATSError.streamMissing
    case _ where ErrorNumber.resources.contains(number): throw NATSError.streamFull
    case _ where ErrorNumber.disabled.contains(number): throw NATSError.jetStreamMissing
    default: throw NATSError.refusedByJetStream(number)
    }
  }

  // MARK: - Messages

  /// Publishes a message and waits until the stream has stored it.
  ///
  /// After `NATSError.timeout` and `.disconnected`, the stream may have stored it or may still do so: publish it again
  /// with the same id.
  ///
  /// - Parameters:
  ///   - id: of the message; the stream stores it once.
  ///   - expectingNone: whether the subject must have no message.
  ///   - lastSequence: the message that must be the last one of the subject.
  /// - Throws: `NATSError.streamFull`, `.noResponders` (no stream, or no leader), `.timeout`, and those of a request.
  package func publish(
    _ subject: String, _ payload: [UInt8], id: String? = nil, expectingNone: Bool = false,
    lastSequence: UInt64? = nil, headers: NATSHeaders = [], timeout: Duration? = nil
  ) async throws -> PublishOutcome {
    var headers = headers
    if let id { headers.add("Nats-Msg-Id", id) }
    if let expected = lastSequence ?? (expectingNone ? 0 : nil) {
      headers.add("Nats-Expected-Last-Subject-Sequence", String(expected))
    }
    let answer = try await connection.request(subject, payload, headers: headers, timeout: timeout ?? self.timeout)
    do {
      let json = try Self.json(answer.payload)
      guard let sequence = json["seq"]?.count else { throw NATSError.malformedAnswer }
      return json["duplicate"] == .bool(true)
        ? .duplicate(sequence: UInt64(sequence)) : .stored(sequence: UInt64(sequence))
    } catch NATSError.refusedByJetStream(ErrorNumber.wrongLastSequence) {
      return .occupied
    } catch NATSError.refusedByJetStream(ErrorNumber.storeFailed) {
      return .occupiedOrFull
    }
  }

  /// The last message of a subject; nil if there is none. The stream must allow direct requests. With several copies,
  /// one that is behind may answer.
  package func lastMessage(of subject: String, in stream: String) async throws -> StoredMessage? {
    try await direct("\(stream).\(subject)", nil)
  }

  /// The messages of a stream in their order, from `sequence` on, whose subjects match `filter`: at most `limit`, and
  /// 16 MiB. Begin the next page after the sequence of the last one. Each message is a request of its own.
  package func messages(
    in stream: String, matching filter: String = ">", from sequence: UInt64 = 1, limit: Int = 256
  ) async throws -> [StoredMessage] {
    var messages: [StoredMessage] = []
    var (next, bytes) = (sequence, 0)
    while messages.count < limit, bytes < Self.maximumPageBytes {
      guard let message = try await message(in: stream, matching: filter, from: next) else { break }
      guard message.sequence >= next, message.sequence < .max else { throw NATSError.malformedAnswer }
      messages.append(message)
      bytes += message.payload.count
      next = message.sequence + 1
    }
    return messages
  }

  private static let maximumPageBytes = 16 << 20

  /// The first message of a stream at or after `sequence` whose subject matches `filter`; nil at the end.
  package func message(in stream: String, matching filter: String, from sequence: UInt64) async throws -> StoredMessage?
  {
    let sequence = Int64(clamping: max(1, sequence))
    return try await direct(stream, ["seq": .integer(sequence), "next_by_subj": .string(filter)])
  }

  private func direct(_ subject: String, _ body: JSONValue?) async throws -> StoredMessage? {
    let answer = try await connection.request(
      "$JS.API.DIRECT.GET.\(subject)", body.map { Array($0.text.utf8) } ?? [], timeout: timeout)
    if answer.headers["Status"] == "404" { return nil }
    guard let message = StoredMessage(answer) else { throw NATSError.malformedAnswer }
    return message
  }
}

/// What became of a message that a stream was to store.
package enum PublishOutcome: Sendable, Equatable {
  case stored(sequence: UInt64)
  /// The stream has a message with this id.
  case duplicate(sequence: UInt64)
  /// Nothing was stored: the subject has a message already.
  case occupied
  /// Nothing was stored: the subject has a message already, or the stream has reached its limit of bytes. JetStream
  /// has one error number for both (10077), so ask for the last message of the subject.
  case occupiedOrFull
}
