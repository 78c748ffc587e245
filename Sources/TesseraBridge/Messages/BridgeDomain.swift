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
  /// The texts of a program that has `ReRuneBridgeHandler`. An addition of Tessera: to a client of any other host it is a
  /// domain that does not exist, so requests are dropped.
  case i18n

  /// The domains of the published protocol.
  public static let allCases: [BridgeDomain] = [
    .nfc, .biometrics, .secureStorage, .camera, .crypto, .haptic, .analytics, .lifecycle, .documents, .navigation,
    .custody,
  ]
}
