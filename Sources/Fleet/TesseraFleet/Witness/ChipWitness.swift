package import TesseraCore
package import TesseraPassport
package import TesseraSmartCard

/// Proves the chip from elsewhere: this machine reads the document, and Chip Authentication runs with keys that this
/// machine does not have.
package protocol ChipWitness: Sendable {
  /// Called once all files are read and Active Authentication was performed.
  ///
  /// - Parameter dump: all that was read.
  /// - Returns: what to send to the chip; nil if there is nothing to prove by Chip Authentication.
  func agreement(for dump: DocumentDump) async throws -> WitnessedAgreement?

  /// Called at the end of the read, if there was an agreement.
  func record(_ answer: WitnessedAnswer) async
}

/// A key agreement that the chip is to perform with a witness.
package struct WitnessedAgreement: Sendable, Equatable {
  /// The object identifier of Chip Authentication, dotted.
  package let protocolIdentifier: String
  /// The chip's number for its key; nil if DG14 states none.
  package let keyIdentifier: Int?
  /// The witness's ephemeral public key, as it goes to the chip (Doc 9303-11, 9.4).
  package let publicKey: [UInt8]
  /// The first command under the new keys: one short command APDU, already protected.
  package let confirmation: [UInt8]

  package init(protocolIdentifier: String, keyIdentifier: Int?, publicKey: [UInt8], confirmation: [UInt8]) {
    self.protocolIdentifier = protocolIdentifier
    self.keyIdentifier = keyIdentifier
    self.publicKey = publicKey
    self.confirmation = confirmation
  }
}

/// How the chip answered a `WitnessedAgreement`. It has neither value if the session ended before the chip answered.
package struct WitnessedAnswer: Sendable, Equatable {
  /// The chip's status word if it refused the protocol.
  package let refusal: StatusWord?
  /// The response to the confirmation as received, with its status word.
  package let response: [UInt8]?

  package init(refusal: StatusWord? = nil, response: [UInt8]? = nil) {
    self.refusal = refusal
    self.response = response
  }
}

extension InspectionRequest {
  /// Has a witness prove the chip. Chip and Terminal Authentication are not performed, since both need keys that this
  /// machine does not have; DG14 and DG15 are read if the document lists them.
  package mutating func prove(by witness: any ChipWitness) {
    chipAuthentication = .never
    terminalCredentials = nil
    readsSecurityGroups = true
    distance = { WitnessedProof($0, witness) }
  }
}

/// The reason why a chip cannot be proved to another machine than the one at the reader.
package enum ChipWitnessError: Error, Sendable, Equatable {
  /// What the witness wants to be sent is no Chip Authentication.
  case unusableAgreement
  /// The reader cannot carry the chip's key or its signature. The other machine would take that for a chip that has
  /// none.
  case readerUnsuitable
}

extension ChipWitnessError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .unusableAgreement:
      Failure(
        .peerRejected, "What the inspector wants to be sent to the chip is no Chip Authentication.",
        remedy: "Use the same version of Tessera on both machines.")
    case .readerUnsuitable:
      Failure(
        .usage, "The reader cannot carry the messages by which this chip proves that it is the original.",
        remedy: "Use a reader that supports extended length.")
    }
  }
}
