/// The domains of the protocol. Requests of any other domain are dropped.
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
  /// Used by the newest clients, in browser extensions only. There is no handler: no published native side defines its
  /// secrets and how devices are linked. A host with its own handler registers it and sets `Launch.hasCustody`.
  case custody
}
