package import TesseraPassport

/// Chip Authentication with an inspector's key.
package struct AgreementMessage: Codable, Sendable, Equatable {
  /// The object identifier of the protocol, dotted.
  package var protocolIdentifier: String
  package var keyIdentifier: Int?
  /// The inspector's ephemeral public key.
  package var publicKey: Base64Bytes
  /// One command APDU under the new keys.
  package var confirmation: Base64Bytes

  package init(_ agreement: WitnessedAgreement) {
    protocolIdentifier = agreement.protocolIdentifier
    keyIdentifier = agreement.keyIdentifier
    publicKey = Base64Bytes(agreement.publicKey)
    confirmation = Base64Bytes(agreement.confirmation)
  }

  package var agreement: WitnessedAgreement {
    WitnessedAgreement(
      protocolIdentifier: protocolIdentifier, keyIdentifier: keyIdentifier, publicKey: publicKey.bytes,
      confirmation: confirmation.bytes)
  }
}
