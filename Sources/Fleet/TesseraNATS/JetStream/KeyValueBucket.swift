/// A bucket of keys and values in JetStream, in the form that other clients of NATS use (NATS ADR-8): the stream
/// `KV_<name>`, with a subject `$KV.<name>.<key>` for each key.
package struct KeyValueBucket: Sendable {
  private let stream: JetStream
  private let name: String

  /// - Parameter timeout: For one request.
  package init(_ connection: NATSConnection, name: String, timeout: Duration = .seconds(5)) {
    stream = JetStream(connection, timeout: timeout)
    self.name = name
  }

  private var streamName: String { "KV_\(name)" }

  private func subject(_ key: String) -> String { "$KV.\(name).\(key)" }

  /// - Throws: `NATSError.invalidSubject` if it is no key: a wildcard would mean many.
  private func subject(ofKey key: String) throws -> String {
    guard NATSSubject.isValid(subject(key)) else { throw NATSError.invalidSubject }
    return subject(key)
  }

  /// Makes the bucket, with one value for each key; each server with a copy answers.
  ///
  /// - Parameters:
  ///   - replicas: servers that have a copy: 1, 3 or 5; nil for as many as there are, and 1 for a new bucket.
  ///   - destination: the subject on which each change is published again, for example `tessera.trust.>`; nil for none.
  /// - Returns: false if it was there already, and is as it should be.
  @discardableResult
  package func create(replicas: Int?, republishTo destination: String? = nil) async throws -> Bool {
    try await stream.prepareStream(streamName) { existing in
      var configuration = StreamConfiguration(
        name: streamName, subjects: [subject(">")], replicas: replicas ?? existing?.replicas ?? 1)
      configuration.maximumMessagesPerSubject = 1
      configuration.refusesNew = true
      configuration.allowsDirect = true
      configuration.allowsRollup = true
      configuration.republication = destination.map { .init(source: subject(">"), destination: $0) }
      return configuration
    }.isChanged
  }

  /// The value of a key with its revision; nil if there is none.
  ///
  /// - Throws: `NATSError.bucketMissing`; those of a request.
  package func get(_ key: String) async throws -> (value: [UInt8], revision: UInt64)? {
    try await translating {
      guard let message = try await lastMessage(of: subject(ofKey: key)),
        !message.isDeletion
      else { return nil }
      return (message.payload, message.sequence)
    }
  }

  /// A server does not answer for a stream that does not exist. Then it is asked for the stream, which not every user
  /// may do; the others get `NATSError.timeout`.
  private func lastMessage(of subject: String) async throws -> StoredMessage? {
    do {
      return try await stream.lastMessage(of: subject, in: streamName)
    } catch NATSError.timeout {
      guard try await stream.stream(streamName) == nil else { throw NATSError.timeout }
      throw NATSError.bucketMissing
    }
  }

  /// Stores a value.
  ///
  /// - Parameter revision: the revision that must be stored now, 0 for no value; nil for any.
  /// - Returns: the new revision.
  /// - Throws: `NATSError.conflict` if another revision is stored; `.streamFull`, `.bucketMissing`; those of a request.
  package func put(_ key: String, _ value: [UInt8], replacing revision: UInt64? = nil) async throws -> UInt64 {
    try await translating {
      switch try await stream.publish(subject(ofKey: key), value, lastSequence: revision) {
      case .stored(let sequence), .duplicate(let sequence): return sequence
      case .occupied:
        // Where another client deleted a value, it left a marker with a revision of its own.
        guard revision == 0, let marker = try await lastMessage(of: subject(ofKey: key)), marker.isDeletion
        else { throw NATSError.conflict }
        return try await put(key, value, replacing: marker.sequence)
      case .occupiedOrFull: throw NATSError.streamFull
      }
    }
  }

  /// Removes a key and its value.
  package func delete(_ key: String) async throws {
    try await translating { try await stream.purge(streamName, subject: subject(ofKey: key)) }
  }

  /// The keys that have a value, or that another client deleted, unordered.
  package func keys() async throws -> [String] {
    let beginning = subject("")
    return try await translating {
      try await stream.subjects(of: streamName, matching: subject(">")).compactMap {
        $0.hasPrefix(beginning) ? String($0.dropFirst(beginning.count)) : nil
      }
    }
  }

  private func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch NATSError.streamMissing, NATSError.noResponders {
      throw NATSError.bucketMissing
    }
  }
}

/// A message of a stream.
package struct StoredMessage: Sendable, Equatable {
  package let subject: String
  package let sequence: UInt64
  /// ISO 8601, by the clock of the stream's leader.
  package let time: String
  package let headers: NATSHeaders
  package let payload: [UInt8]

  /// Whether this is the marker that a client leaves where it deletes a value of a bucket.
  var isDeletion: Bool { headers["KV-Operation"] != nil }

  /// nil if the server's answer lacks the headers of a direct request.
  init?(_ answer: NATSMessage) {
    guard let subject = answer.headers["Nats-Subject"],
      let sequence = answer.headers["Nats-Sequence"].flatMap({ UInt64($0) })
    else { return nil }
    self.subject = subject
    self.sequence = sequence
    time = answer.headers["Nats-Time-Stamp"] ?? ""
    headers = answer.headers
    payload = answer.payload
  }
}
