import Cryptography
import SmartCard

/// Active Authentication (Doc 9303-11, 6.1): the chip signs a challenge with a key whose public part is DG15.
public struct ActiveAuthenticationEvidence: Sendable, Equatable {
  /// `RND.IFD`, 8 bytes.
  public let challenge: [UInt8]
  /// The chip's signature; nil where it refused.
  public let signature: [UInt8]?
  /// Its status word; 0000 where the chip could not even be asked.
  public let status: StatusWord
  /// Whether the signature needs extended length, which the reader did not carry: it may not have come for that reason.
  public let isBeyondReader: Bool

  public init(challenge: [UInt8], signature: [UInt8]?, status: StatusWord, isBeyondReader: Bool = false) {
    self.challenge = challenge
    self.signature = signature
    self.status = status
    self.isBeyondReader = isBeyondReader
  }

  /// What a signature shows.
  public enum Finding: Sendable, Equatable {
    /// The chip has the private key. The text tells key and hash function.
    case proven(String)
    case refused(StatusWord)
    case wrong(String)
    /// The key or the algorithm is one that this reader cannot do.
    case unsupported(String)
  }

  /// - Parameters:
  ///   - key: of DG15, which Passive Authentication vouches for.
  ///   - infos: of DG14, which names the hash function of an elliptic key.
  public func judge(_ key: PublicKey, _ infos: SecurityInfos?) -> Finding {
    let signature = status == .success ? signature ?? [] : []
    if isBeyondReader, case .rsa(let bits, _) = key.kind, signature.count < bits / 8 {
      return .unsupported(
        "The chip signs with RSA of \(bits) bits, which needs extended length, and the reader does not carry that "
          + "(status \(status)).")
    }
    guard !signature.isEmpty else { return .refused(status) }
    do {
      switch key.kind {
      case .rsa(let bits, _): return try judgeRSA(key, bits, signature)
      case .ellipticCurve(let bits, let curve, _, _):
        return try judgeECDSA(key, curve ?? "explicit parameters of \(bits) bits", signature, infos)
      case .other: return .unsupported("DG15 has a key that is neither RSA nor of an elliptic curve.")
      }
    } catch let error as CryptographyError {
      if case .unsupported = error { return .unsupported(error.failure.cause) }
      return .wrong(error.failure.cause)
    } catch {
      return .wrong("The signature could not be opened.")
    }
  }

  // MARK: - RSA

  private func judgeRSA(_ key: PublicKey, _ bits: Int, _ signature: [UInt8]) throws -> Finding {
    let opened = try key.recover(signature)
    var reason = "The signature does not open to a message."
    // The last nibble of a message is C; otherwise the signer took the complement.
    for bytes in [opened.message, opened.complement] where bytes.last.map({ $0 & 0x0F }) == 0x0C {
      do {
        let message = try RecoveredMessage(bytes)
        if try message.covers(challenge) { return .proven("RSA of \(bits) bits, \(message.hashAlgorithm.rawValue)") }
        reason = "The signature is not one over the challenge."
      } catch RecoveredMessage.Problem.hashAlgorithm(let number) {
        // The number is the chip's choice of the moment: a clone can search for a signature that opens to one that
        // nobody knows, so it leaves nothing undecided.
        reason = "The signature names a hash function that is not known, \([number].hexadecimal) of ISO/IEC 10118-3."
      } catch is RecoveredMessage.Problem {
        continue
      }
    }
    return .wrong(reason)
  }

  // MARK: - ECDSA

  private func judgeECDSA(
    _ key: PublicKey, _ curve: String, _ signature: [UInt8], _ infos: SecurityInfos?
  ) throws -> Finding {
    let named = Set(infos?.activeAuthentication.map(\.signatureAlgorithm) ?? [])
    guard named.count <= 1 else { return .wrong("DG14 names several signature algorithms for one key.") }
    let hashes: [HashAlgorithm]
    if let name = named.first {
      guard let hash = SignatureAlgorithm(plainECDSA: name)?.hash else {
        return .unsupported(
          "DG14 names the signature algorithm \(name), which is not ECDSA with a known hash function.")
      }
      hashes = [hash]
    } else {
      // Older documents do not say. The signature shows which one it is: no hash function is free to choose for
      // somebody without the key.
      hashes = HashAlgorithm.allCases
    }
    for hash in hashes {
      for algorithm in [SignatureAlgorithm.plainECDSA(hash), .ecdsa(hash)] {
        guard isPossible(algorithm, signature) else { continue }
        if (try? key.verify(signature, over: challenge, algorithm)) == true {
          return .proven("ECDSA, \(curve), \(hash.rawValue)")
        }
      }
    }
    return .wrong("The signature is not one over the challenge.")
  }

  /// The plain form has two numbers of equal length; some national documents answer with the DER one.
  private func isPossible(_ algorithm: SignatureAlgorithm, _ signature: [UInt8]) -> Bool {
    switch algorithm {
    case .plainECDSA: signature.count.isMultiple(of: 2)
    default: signature.first == 0x30
    }
  }
}

extension StatusWord {
  /// No chip's: there was no answer.
  static let none = StatusWord(0x0000)
}

extension SignatureAlgorithm {
  /// `ecdsa-plain-SHA…` of BSI TR-03111, 5.2.1.1, or the names of X9.62 that some documents have in their place.
  init?(plainECDSA identifier: String) {
    switch identifier {
    case "0.4.0.127.0.7.1.1.4.1.1", "1.2.840.10045.4.1": self = .plainECDSA(.sha1)
    case "0.4.0.127.0.7.1.1.4.1.2", "1.2.840.10045.4.3.1": self = .plainECDSA(.sha224)
    case "0.4.0.127.0.7.1.1.4.1.3", "1.2.840.10045.4.3.2": self = .plainECDSA(.sha256)
    case "0.4.0.127.0.7.1.1.4.1.4", "1.2.840.10045.4.3.3": self = .plainECDSA(.sha384)
    case "0.4.0.127.0.7.1.1.4.1.5", "1.2.840.10045.4.3.4": self = .plainECDSA(.sha512)
    default: return nil
    }
  }
}

/// Asks the chip to sign: one exchange (Doc 9303-11, 6.1.3).
struct ActiveAuthenticationDriver {
  /// Of `RND.IFD`, in bytes.
  static let challengeLength = 8

  let session: ChipSession
  /// What to ask for, in turn.
  let lengths: [Int]
  private let isBeyondReader: Bool

  /// Protected, a signature of 2048 bits does not fit a short answer, and a chip with such a key must know extended length,
  /// whether or not it announces that (6.1.4); one that does not may keep the rest back (61xx).
  ///
  /// - Parameters:
  ///   - answerLength: bytes of signature that the key makes.
  ///   - extendedLengthLimit: of the reader; nil for one that carries short commands only.
  init(session: ChipSession, answerLength: Int, extendedLengthLimit: Int?) {
    self.session = session
    let needsExtendedLength = session.largestPlaintext(inResponseOf: 256) < answerLength
    isBeyondReader = needsExtendedLength && extendedLengthLimit == nil
    lengths = needsExtendedLength && !isBeyondReader ? [max(257, answerLength), 256] : [256]
  }

  /// What a chip that gave no signature has shown.
  func refusal(challenge: [UInt8], _ status: StatusWord) -> ActiveAuthenticationEvidence {
    ActiveAuthenticationEvidence(challenge: challenge, signature: nil, status: status, isBeyondReader: isBeyondReader)
  }

  /// - Parameter challenge: 8 bytes.
  /// - Throws: `PassportError.challengeLength` for another number of them.
  func run(challenge: [UInt8], length: Int) async throws -> ActiveAuthenticationEvidence {
    guard challenge.count == Self.challengeLength else { throw PassportError.challengeLength(challenge.count) }
    let command = CommandAPDU(ins: 0x88, p1: 0, p2: 0, data: challenge, expectedLength: length)
    let answer = try await session.send(command)
    guard answer.status == .success else { return refusal(challenge: challenge, answer.status) }
    return ActiveAuthenticationEvidence(
      challenge: challenge, signature: answer.data, status: answer.status, isBeyondReader: isBeyondReader)
  }
}
