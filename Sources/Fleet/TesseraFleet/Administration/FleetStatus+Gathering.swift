internal import TesseraJSON
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
