package import TesseraFleet
package import TesseraNATS

/// Servers of NATS without accounts, and the desks and inspectors that a test connects to them.
package final class FleetLab: Sendable {
  package let servers: NATSServers

  private init(_ servers: NATSServers) { self.servers = servers }

  /// - Parameter count: the number of servers, which are one cluster.
  package static func start(_ count: Int = 1) async throws -> FleetLab { FleetLab(try await NATSServers.start(count)) }

  /// A connection of its own, with the inbox that a desk or an inspector of this name has.
  package func connect(_ name: String) async throws -> NATSConnection {
    try await NATSConnection.connect(configuration(name))
  }

  /// A connection that uses one server only.
  package func connect(_ name: String, to number: Int) async throws -> NATSConnection {
    var configuration = configuration(name)
    configuration.servers = [servers.addresses[number]]
    return try await NATSConnection.connect(configuration)
  }

  private func configuration(_ name: String) -> NATSConfiguration {
    var configuration = servers.configuration(name)
    configuration.inboxPrefix = FleetSubject.inbox(name)
    return configuration
  }

  /// A desk that is as slow as the machine: its limits end no read, unless a test is about one.
  package func desk(_ name: String, _ limits: FleetLimits = .patient) async throws -> FleetDesk {
    guard let desk = DeskName(name) else { throw FleetError(.malformed) }
    return FleetDesk(connection: try await connect(name), name: desk, limits: limits)
  }

  package func inspector(
    trust: any FleetTrustSource, recorder: any FleetRecording,
    _ configuration: InspectorConfiguration = .patient
  ) async throws -> LabInspector {
    try await LabInspector(connect("inspector"), trust: trust, recorder: recorder, configuration)
  }

  /// Receives every message of all desks and inspectors.
  package func spy() async throws -> MessageSpy { try await MessageSpy(connect("spy")) }

  package func stop() async { await servers.stop() }
}
