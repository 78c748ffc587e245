import Cryptography
import SmartCard

/// What shows that the chip had the private part of its key: the first answer that it gave under the new keys. It can
/// be judged again by whoever trusts the reader that made it; it proves nothing to others, since with the reader's
/// private key anybody can make such an answer.
public struct ChipAuthenticationEvidence: Sendable, Equatable {
  /// The object identifier of the protocol, dotted.
  public let protocolIdentifier: String
  public let keyIdentifier: Int?
  /// This reader's private key of the run, good for nothing else.
  public let readerPrivateKey: SecretBytes
  /// The first protected answer under the new keys, as it came, with its status word. nil where none came.
  public internal(set) var firstAnswer: [UInt8]?
  /// The chip's status word where it refused the protocol.
  public let refusal: StatusWord?

  public init(
    protocolIdentifier: String, keyIdentifier: Int?, readerPrivateKey: SecretBytes, firstAnswer: [UInt8]? = nil,
    refusal: StatusWord? = nil
  ) {
    self.protocolIdentifier = protocolIdentifier
    self.keyIdentifier = keyIdentifier
    self.readerPrivateKey = readerPrivateKey
    self.firstAnswer = firstAnswer
    self.refusal = refusal
  }

  /// What the evidence shows about a key.
  public enum Finding: Sendable, Equatable {
    /// The chip has the private part of the key.
    case proven
    case refused(StatusWord)
    /// The session ended before the chip answered under the new keys.
    case noAnswer
    /// What it answered is not under the keys that follow from its key: another chip.
    case wrongKeys
  }

  /// - Parameter chipAuthentication: what DG14 offers, which Passive Authentication vouches for.
  public func judge(_ chipAuthentication: ChipAuthentication) -> Finding {
    if let refusal { return .refused(refusal) }
    guard let firstAnswer else { return .noAnswer }
    guard chipAuthentication.chipAuthentication.identifier == protocolIdentifier,
      let keys = try? chipAuthentication.keys(privateKey: readerPrivateKey),
      var session = try? keys.secureMessaging()
    else { return .wrongKeys }
    do {
      // The first command counted the counter up once.
      session.skipCommand()
      _ = try session.unprotect(ResponseAPDU(firstAnswer))
      return .proven
    } catch {
      return .wrongKeys
    }
  }
}
