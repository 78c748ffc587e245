package import TesseraFleet
package import TesseraNATS
internal import TesseraThreads

/// An inspector in this process, with a connection of its own.
package final class LabInspector: Sendable {
  package let inspector: FleetInspector
  package let connection: NATSConnection
  private let task: Task<Void, any Error>

  /// Starts an inspector and waits until desks can reach it.
  package init(
    _ connection: NATSConnection, trust: any FleetTrustSource, recorder: any FleetRecording,
    _ configuration: InspectorConfiguration = .patient
  ) async throws {
    self.connection = connection
    let inspector = try FleetInspector(
      connection: connection, trust: trust, recorder: recorder, configuration: configuration)
    self.inspector = inspector
    let ready = FirstResult<Void>()
    task = Task {
      do {
        try await inspector.run { ready.settle(.success(())) }
      } catch {
        ready.settle(.failure(error))
        throw error
      }
    }
    try await withTimeLimit(.seconds(60)) { try await ready.value }
  }

  /// Ends the inspector as a signal does: it answers what is under way.
  package func stop() async {
    task.cancel()
    _ = try? await task.value
    await connection.close()
  }

  /// Cuts the inspector off, as if its process were killed: nothing is answered any more.
  package func kill() async {
    await connection.close()
    task.cancel()
  }
}
