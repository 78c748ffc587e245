import TesseraCryptography
import TesseraSmartCard

/// The evidence of Chip Authentication: the chip's first response under the new keys. Anyone who trusts the reader can
/// verify it again. It proves nothing to others, since the reader's private key suffices to create such a response.
package struct ChipAuthenticationEvidence: Sendable, Equatable {
  /// The object identifier of the protocol, dotted.
  package let protocolIdentifier: String
  package let keyIdentifier: Int?
  /// This reader's ephemeral private key of the run.
  package let readerPrivateKey: SecretBytes
  /// The first protected response under the new keys as received, with its status word; nil if there was none.
  package internal(set) var firstAnswer: [UInt8]?
  /// The chip's status word if it refused the protocol.
  package let refusal: StatusWord?

  package init(
    protocolIdentifier: String, keyIdentifier: Int?, readerPrivateKey: SecretBytes, firstAnswer: [UInt8]? = nil,
    refusal: StatusWord? = nil
  ) {
    self.protocolIdentifier = protocolIdentifier
    self.keyIdentifier = keyIdentifier
    self.readerPrivateKey = readerPrivateKey
    self.firstAnswer = firstAnswer
    self.refusal = refusal
  }

  /// The result of verifying the evidence.
  package enum Finding: Sendable, Equatable {
    /// The chip has the private key.
    case proven
    case refused(StatusWord)
    /// The session ended before the chip answered under the new keys.
    case noResponse
    /// The evidence is of another protocol, or the keys cannot be derived from it.
    case malformed
    /// The response is not protected with the keys that follow from the chip's key: it is another chip.
    case wrongKeys
  }

  /// - Parameter chipAuthentication: the offer in DG14, which Passive Authentication verifies.
  package func evaluate(_ chipAuthentication: ChipAuthentication) -> Finding {
    if let refusal { return .refused(refusal) }
    guard let firstAnswer else { return .noResponse }
    guard chipAuthentication.chipAuthentication.identifier == protocolIdentifier,
      let keys = try? chipAuthentication.keys(privateKey: readerPrivateKey),
      var session = try? keys.secureMessaging()
    else { return .malformed }
    do {
      // The first command incremented the counter once.
      session.skipCommand()
      _ = try session.unprotect(ResponseAPDU(firstAnswer))
      return .proven
    } catch {
      return .wrongKeys
    }
  }
}
