internal import Foundation
internal import TesseraCore
internal import TesseraFleet
package import TesseraNATS
internal import TestSupport

/// A server of NATS on a free port of this machine, without accounts: for tests of what passes between desks and
/// inspectors.
package final class NATSLabServer: Sendable {
  private let process: RunningProgram
  private let port: Int

  private init(_ process: RunningProgram, port: Int) {
    self.process = process
    self.port = port
  }

  /// Starts a server and waits until it accepts connections.
  ///
  /// - Throws: `Failure` if it cannot be started.
  package static func start() async throws -> NATSLabServer {
    guard let program = LoadServers.program else {
      throw Failure(.serviceUnavailable, "nats-server is missing.", remedy: "apt-get install nats-server")
    }
    let process = try RunningProgram(URL(fileURLWithPath: program), ["--addr", "127.0.0.1", "--port", "-1"])
    guard await process.wait(until: { $0.errors.contains("Server is ready") || !$0.isRunning }),
      let port = port(in: process.errors)
    else { throw Failure(.serviceUnavailable, "nats-server did not start: \(process.errors)") }
    return NATSLabServer(process, port: port)
  }

  /// The server writes the port that it has chosen.
  private static func port(in log: String) -> Int? {
    guard let place = log.range(of: "Listening for client connections on 127.0.0.1:") else { return nil }
    return Int(log[place.upperBound...].prefix { $0.isNumber })
  }

  package func connect(_ name: String) async throws -> NATSConnection {
    try await NATSConnection.connect(
      NATSConfiguration(
        servers: [NATSServerAddress(host: "127.0.0.1", port: port)], name: name,
        inboxPrefix: FleetSubject.inbox(name)))
  }

  package func stop() async {
    process.send(signal: SIGKILL)
    _ = await process.finish()
  }
}
