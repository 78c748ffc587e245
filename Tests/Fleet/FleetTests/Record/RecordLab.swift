import FleetLab
import Foundation
import TesseraEncryptedStorage
import TesseraNATS
import TestSupport
import Testing

@testable import TesseraFleet

/// A server with the stream of records, and a folder for spools.
struct RecordLab {
  let servers: NATSServers
  let folder: TemporaryFolder
  let connection: NATSConnection

  init(maximumBytes: Int? = nil) async throws {
    servers = try await NATSServers.start(1, hasJetStream: true)
    folder = try TemporaryFolder()
    connection = try await servers.connect("administrator")
    try await stream.createStream(RecordStream.configuration(replicas: 1, maximumBytes: maximumBytes))
  }

  var stream: JetStream { JetStream(connection, timeout: .seconds(60)) }

  /// A spool whose key is beside it.
  static func spool(_ path: String, _ limits: StorageLimits = RecordSpool.limits) -> RecordSpool {
    RecordSpool(EncryptedStore(path: path, limits: limits, secretService: { nil }))
  }

  func spool(_ name: String = "spool") -> RecordSpool { Self.spool(folder.file(name)) }

  /// A recorder with a connection of its own.
  func recorder(
    _ spool: RecordSpool? = nil, patience: Duration = .seconds(60), intervals: SpoolIntervals = SpoolIntervals()
  ) async throws -> FleetRecorder {
    FleetRecorder(
      try await servers.connect("inspector"), spool: spool ?? self.spool(), policy: RecordPolicy(), patience: patience,
      timeout: .seconds(30), intervals: intervals)
  }

  /// Kills the server, and waits until the recorder's connection knows it.
  func killServer() async throws {
    await servers.kill(0)
    try await eventually { connection.state == .reconnecting }
  }

  /// Starts it again, and waits until the test's own connection is there.
  func restartServer() async throws {
    try await servers.restart(0)
    try await eventually { connection.state == .connected }
  }

  /// What the stream has, in order.
  func messages() async throws -> [StoredMessage] {
    var messages: [StoredMessage] = []
    while let message = try await stream.message(
      in: RecordStream.name, matching: RecordStream.subject, from: (messages.last?.sequence ?? 0) + 1)
    {
      messages.append(message)
    }
    return messages
  }

  func stop() async {
    await connection.close()
    await servers.stop()
  }
}

extension FleetRecorder {
  /// Waits until `run()` has nothing to do.
  func idle() async throws {
    try await eventually { state.withLock { $0.isIdle } }
  }

  /// Runs `body` while the spool is sent.
  func running(_ body: () async throws -> Void) async throws {
    let task = Task { await self.run() }
    do {
      try await body()
    } catch {
      task.cancel()
      await task.value
      throw error
    }
    task.cancel()
    await task.value
  }
}
