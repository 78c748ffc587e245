internal import TesseraCryptography
package import TesseraPassport
internal import TesseraSmartCard

/// The inspector's side of Chip Authentication with a chip that another machine reads: it makes the ephemeral key pair
/// and judges the chip's answer. The machine at the reader, the desk, gets the public key and one protected command.
///
/// The answer proves that the chip with the private key of DG14 was reachable for the desk between the agreement and the
/// answer: neither the desk nor a recording has the key that authenticates the response. It does not prove where that
/// chip is, since a desk can relay the commands to a distant reader, nor that the files came from it: Passive
/// Authentication ties DG14 to the other files.
package struct ChipAuthenticationWitness: Sendable {
  package let agreement: WitnessedAgreement
  private let privateKey: SecretBytes

  /// Makes the ephemeral key pair for the strongest offer in DG14.
  ///
  /// nil if there is nothing to ask of the chip: DG14 offers nothing that is supported, or what speaks against the chip
  /// is in the dump already.
  package init?(for dump: DocumentDump) throws { try self.init(for: dump, privateKey: nil) }

  /// - Parameter privateKey: only tests set it.
  init?(for dump: DocumentDump, privateKey: SecretBytes?) throws {
    guard let offer = dump.content.chipAuthentication, dump.evidence.chipAuthentication == nil else { return nil }
    let keys: ChipAuthentication.Agreement
    do {
      keys = try offer.agreement(privateKey: privateKey)
    } catch is GroupElementProblem {
      // The order of the chip's key or generator is too small for a secret agreement. Nothing is sent, so that the
      // document is judged like one whose chip withholds the proof.
      return nil
    }
    self.privateKey = keys.privateKey
    agreement = WitnessedAgreement(
      protocolIdentifier: offer.chipAuthentication.identifier, keyIdentifier: offer.keyIdentifier,
      publicKey: offer.key.group.unsigned(keys.publicKey), confirmation: try Self.confirmation(keys.keys))
  }

  /// SELECT of DG14, the first command under the new keys.
  ///
  /// Every document has this file, and every chip supports this command: some chips answer a short file identifier in
  /// plain, which would be taken for another chip's answer.
  private static func confirmation(_ keys: SessionKeys) throws -> [UInt8] {
    let file = ElementaryFile.dg14.identifier
    let command = CommandAPDU(
      ins: 0xA4, p1: 0x02, p2: 0x0C, data: [UInt8(file >> 8), UInt8(file & 0xFF)])
    var session = try keys.secureMessaging()
    return try session.protect(command).encoded()
  }

  /// The evidence for the verdict.
  ///
  /// - Parameter answer: the chip's, as the desk states it; nil if the desk states none.
  /// - Returns: nil for no answer.
  package func evidence(for answer: WitnessedAnswer?) -> ChipAuthenticationEvidence? {
    guard let answer else { return nil }
    // 0000 means that no command was sent, which a desk cannot excuse itself with.
    let refusal = answer.refusal == StatusWord.none ? nil : answer.refusal
    return ChipAuthenticationEvidence(
      protocolIdentifier: agreement.protocolIdentifier, keyIdentifier: agreement.keyIdentifier,
      readerPrivateKey: refusal == nil ? privateKey : SecretBytes([]),
      firstAnswer: refusal == nil ? answer.response : nil,
      refusal: refusal)
  }
}
