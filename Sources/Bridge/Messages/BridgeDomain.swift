/// The domains of the protocol; a request for any other text is dropped.
public enum BridgeDomain: String, Sendable, CaseIterable, Codable {
  case nfc
  case biometrics
  case secureStorage
  case camera
  case crypto
  case haptic
  case analytics
  case lifecycle
  case documents
  case navigation
  /// Known to the newest clients, which ask for it in browser extensions only. There is no native side of it to go by:
  /// what its answers look like is known, what its secrets are and how devices are linked is not. So no handler is
  /// here; a host that has one registers it, and says so in the `custodyControls` of its launch.
  case custody
}
