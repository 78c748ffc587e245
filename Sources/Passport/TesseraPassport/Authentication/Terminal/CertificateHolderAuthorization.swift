import TesseraSmartCard

/// A certificate holder authorisation template (BSI TR-03110-3, C.1.5): the kind of terminal, and its rights.
package struct CertificateHolderAuthorization: Sendable, Equatable {
  /// `id-IS`, an inspection system.
  package static let inspectionSystem = "0.4.0.127.0.7.3.1.2.1"

  /// Dotted.
  package let role: String
  package let rights: [UInt8]

  package init(role: String, rights: [UInt8]) {
    self.role = role
    self.rights = rights
  }

  /// The template that a reader sends to request the authorities that a chip trusts.
  static let inspectionSystemWithAllRights = CertificateHolderAuthorization(role: inspectionSystem, rights: [0x3F])

  var encoded: [UInt8] {
    BERTLV.encode(
      0x7F4C, BERTLV.encode(0x06, ObjectIdentifierBytes.encode(role)) + BERTLV.encode(0x53, rights))
  }
}
