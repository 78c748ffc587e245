/// The domains that have handlers: those of the published protocol, and Tessera's own `i18n`. Requests of any other domain
/// are dropped.
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

  /// The domains of the published protocol. Each of their requests gets a response, also without a handler.
  public static let published: [BridgeDomain] = [
    .nfc, .biometrics, .secureStorage, .camera, .crypto, .haptic, .analytics, .lifecycle, .documents, .navigation,
    .custody,
  ]

  /// The published domains only, so not `i18n`: a program that goes through all cases, or shows their names, means what
  /// every host has.
  public static let allCases = published
}
