import TesseraSmartCard

/// Proves the chip from elsewhere: this machine reads the document, and Chip Authentication runs with keys that this
/// machine does not have.
public protocol ChipWitness: Sendable {
  /// Called once all files are read and Active Authentication was performed.
  ///
  /// - Parameter dump: all that was read.
  /// - Returns: what to send to the chip; nil if there is nothing to prove by Chip Authentication.
  func agreement(for dump: DocumentDump) async throws -> WitnessedAgreement?
}

/// A key agreement that the chip is to perform with a witness.
public struct WitnessedAgreement: Sendable, Equatable {
  /// The object identifier of Chip Authentication, dotted.
  public let protocolIdentifier: String
  /// The chip's number for its key; nil if DG14 states none.
  public let keyIdentifier: Int?
  /// The witness's ephemeral public key, as it goes to the chip (Doc 9303-11, 9.4).
  public let publicKey: [UInt8]
  /// The first command under the new keys: one short command APDU, already protected.
  public let confirmation: [UInt8]

  public init(protocolIdentifier: String, keyIdentifier: Int?, publicKey: [UInt8], confirmation: [UInt8]) {
    self.protocolIdentifier = protocolIdentifier
    self.keyIdentifier = keyIdentifier
    self.publicKey = publicKey
    self.confirmation = confirmation
  }
}

/// How the chip answered a `WitnessedAgreement`. It has neither value if the session ended before the chip answered.
public struct WitnessedAnswer: Sendable, Equatable {
  /// The chip's status word if it refused the protocol.
  public let refusal: StatusWord?
  /// The response to the confirmation as received, with its status word.
  public let response: [UInt8]?

  public init(refusal: StatusWord? = nil, response: [UInt8]? = nil) {
    self.refusal = refusal
    self.response = response
  }
}
