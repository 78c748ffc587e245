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
}
