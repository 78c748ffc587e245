package import TesseraFleet
package import TesseraNATS

/// A server of NATS, and the desks and inspectors that a test connects to it.
package final class FleetLab: Sendable {
  private let server: NATSLabServer

  private init(_ server: NATSLabServer) { self.server = server }

  package static func start() async throws -> FleetLab { FleetLab(try await NATSLabServer.start()) }

  /// A connection of its own.
  package func connect(_ name: String) async throws -> NATSConnection { try await server.connect(name) }

  package func desk(_ name: String, _ limits: FleetLimits = FleetLimits()) async throws -> FleetDesk {
    guard let desk = DeskName(name) else { throw FleetError(.malformed) }
    return FleetDesk(connection: try await connect(name), name: desk, limits: limits)
  }

  package func inspector(
    trust: any FleetTrustSource, recorder: any FleetRecording,
    _ configuration: InspectorConfiguration = InspectorConfiguration()
  ) async throws -> LabInspector {
    try await LabInspector(connect("inspector"), trust: trust, recorder: recorder, configuration)
  }

  /// Receives every message of all desks and inspectors.
  package func spy() async throws -> MessageSpy { try await MessageSpy(connect("spy")) }

  package func stop() async { await server.stop() }
}
