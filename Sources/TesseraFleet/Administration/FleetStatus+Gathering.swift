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
  /// - Throws: `NATSError` if the connection is interrupted or closed; `CancellationError`.
  package static func gather(
    _ connection: NATSConnection, within time: Duration = .milliseconds(700)
  ) async throws -> FleetStatus {
    async let record = record(connection)
    async let version = try? TrustBucket(connection).version()
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
    return FleetStatus(
      inspectors: Array(inspectors.values), unreadable: unreadable, record: await record,
      trustVersion: await version ?? nil)
  }

  private static func record(_ connection: NATSConnection) async -> Record? {
    guard let state = try? await JetStream(connection).stream(RecordStream.name) else { return nil }
    return Record(
      messages: state.messages, bytes: state.bytes, first: date(state.firstTime, state),
      last: date(state.lastTime, state),
      replicas: state.replicas, lagging: state.laggingReplicas, leader: state.leader)
  }

  /// The time to the second; nil if the stream is empty.
  private static func date(_ text: String, _ state: StreamState) -> Date? {
    guard state.messages > 0 else { return nil }
    return try? Date("\(text.prefix { $0 != "." && $0 != "Z" })Z", strategy: .iso8601)
  }
}
