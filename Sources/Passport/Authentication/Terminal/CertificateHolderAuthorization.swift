import SmartCard

/// A certificate holder authorisation template (BSI TR-03110-3, C.1.5): which kind of terminal, with which rights.
public struct CertificateHolderAuthorization: Sendable, Equatable {
  /// `id-IS`, an inspection system.
  public static let inspectionSystem = "0.4.0.127.0.7.3.1.2.1"

  /// Dotted.
  public let role: String
  public let rights: [UInt8]

  public init(role: String, rights: [UInt8]) {
    self.role = role
    self.rights = rights
  }

  /// What a reader says to be told the authorities that a chip knows.
  static let everyRightOfInspectionSystem = CertificateHolderAuthorization(role: inspectionSystem, rights: [0x3F])

  var encoded: [UInt8] {
    BERTLV.encode(
      0x7F4C, BERTLV.encode(0x06, ObjectIdentifierBytes.encode(role)) + BERTLV.encode(0x53, rights))
  }
}
