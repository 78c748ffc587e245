package import TesseraNATS
internal import TesseraSmartCard
internal import TesseraThreads

/// A channel to a card on the reader of a desk. Each call costs a round trip over the network.
package final class RemoteCardChannel: BatchChannel {
  private let connection: NATSConnection
  private let subject: String
  private let reader: String
  private let limits: FleetLimits
  private let count = Locked(0)

  /// - Parameters:
  ///   - subject: where the desk receives commands for this card.
  ///   - reader: the name by which the desk announced its reader.
  package init(connection: NATSConnection, subject: String, reader: String, _ limits: FleetLimits) {
    self.connection = connection
    self.subject = subject
    self.reader = reader
    self.limits = limits
  }

  /// The requests so far.
  package var roundTrips: Int { count.withLock { $0 } }

  package func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    let result = try await transmit(CommandBatch([CommandBatch.Entry(command: command)]))
    guard let response = result.responses.first else { throw result.error ?? FleetError(.malformed) }
    return response
  }

  /// Sends a batch in as few requests as the limits of a message allow.
  ///
  /// - Throws: `CardError` of the desk's reader; `FleetError` with the code `deskLost`, `refused` or `malformed`.
  package func transmit(_ batch: CommandBatch) async throws -> BatchResponses {
    var responses: [[UInt8]] = []
    while responses.count < batch.entries.count {
      let part = nextPart(of: batch.entries.dropFirst(responses.count))
      let answer: Answer
      do {
        answer = try await send(part)
      } catch {
        // The earlier responses are valid, and the caller must know what the chip has executed.
        guard !responses.isEmpty else { throw error }
        return BatchResponses(responses, error: error)
      }
      responses += answer.responses
      if let error = answer.error {
        guard !responses.isEmpty else { throw error }
        return BatchResponses(responses, error: error)
      }
      guard let last = responses.last, batch.continues(after: last, at: responses.count - 1) else { break }
      guard answer.isPartial || answer.responses.count == part.count else { throw FleetError(.malformed) }
    }
    return BatchResponses(responses)
  }

  package func awaitReturn(within time: Duration) async throws {
    let time = max(.zero, min(time, .seconds(3_600)))
    var message = RelayMessage()
    message.awaitReturn = Int(time / .milliseconds(1))
    let reply = try await request(message, within: time + limits.relay)
    if let error = reply.cardError { throw error.error(reader: reader) }
  }

  // MARK: - One request

  private struct Answer {
    var responses: [[UInt8]]
    var error: (any Error)?
    var isPartial: Bool
  }

  /// The commands of the next request: at least one.
  private func nextPart(of entries: ArraySlice<CommandBatch.Entry>) -> ArraySlice<CommandBatch.Entry> {
    var size = 0
    let part = entries.prefix(limits.batchCount).prefix { entry in
      size += entry.command.count
      return size <= limits.batchSize
    }
    return part.isEmpty ? entries.prefix(1) : part
  }

  private func send(_ entries: ArraySlice<CommandBatch.Entry>) async throws -> Answer {
    var message = RelayMessage()
    message.batch = entries.map(RelayMessage.Entry.init)
    let reply = try await request(message, within: limits.relay)
    let responses = (reply.responses ?? []).map(\.bytes)
    let isPartial = reply.isPartial ?? false
    guard responses.count <= entries.count, responses.allSatisfy({ $0.count <= limits.apduSize }),
      !responses.isEmpty || reply.cardError != nil
    else { throw FleetError(.malformed) }
    return Answer(
      responses: responses, error: reply.cardError?.error(reader: reader), isPartial: isPartial)
  }

  private func request(_ message: RelayMessage, within limit: Duration) async throws -> RelayReply {
    let payload = try FleetCoding.encode(message)
    count.withLock { $0 += 1 }
    let answer: NATSMessage
    do {
      answer = try await connection.request(subject, payload, timeout: limit)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw FleetError(.deskLost)
    }
    return try FleetCoding.decode(response: RelayReply.self, from: answer.payload, limit: limits.messageSize)
  }
}

extension RelayMessage.Entry {
  init(_ entry: CommandBatch.Entry) {
    self.init(
      command: Base64Bytes(entry.command), leastResponse: entry.leastResponse, warnings: entry.warnings.rawValue)
  }

  var entry: CommandBatch.Entry {
    CommandBatch.Entry(
      command: command.bytes, leastResponse: leastResponse, warnings: CommandBatch.Warnings(rawValue: warnings))
  }
}
