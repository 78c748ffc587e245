internal import TesseraJSON
internal import TesseraNATS

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension FleetSubject {
  /// The question for the state of the own account. Each server of a cluster that has a connection of the account answers,
  /// with its identifier and its time (docs.nats.io, "System Events"). The answers of JetStream have a time since
  /// nats-server 2.10 only.
  package static let serverState = "$SYS.REQ.ACCOUNT.PING.STATZ"
}

extension NATSConnection {
  private static let maximumStateSize = 1 << 16

  /// The clock of the server that has this connection, to the second.
  ///
  /// - Throws: `NATSError`: `.timeout` also if this key may not ask; `.malformedAnswer`. `CancellationError`.
  func serverTime(within limit: Duration) async throws -> Date {
    let identifier = try await serverIdentifier()
    let answer = try await request(FleetSubject.serverState, [], timeout: limit) { answer in
      // The clock of another server of the cluster says nothing about this one. What cannot be read is no reason to wait.
      Self.server(of: answer)?["id"]?.stringValue ?? identifier == identifier
    }
    guard let time = Self.server(of: answer)?["time"]?.stringValue,
      let date = try? Date("\(time.prefix { $0 != "." && $0 != "Z" })Z", strategy: .iso8601)
    else { throw NATSError.malformedAnswer }
    return date
  }

  private static func server(of answer: NATSMessage) -> JSONValue? {
    guard answer.payload.count <= maximumStateSize, let text = String(validating: answer.payload, as: UTF8.self)
    else { return nil }
    return (try? JSONValue(text: text))?["server"]
  }
}
