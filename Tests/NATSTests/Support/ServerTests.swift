import FleetLab
import Testing

/// Tests with real servers.
@Suite(.enabled(if: NATSServers.isEnabled, "\(NATSServers.unavailableReason ?? "")"))
enum ServerTests {}
