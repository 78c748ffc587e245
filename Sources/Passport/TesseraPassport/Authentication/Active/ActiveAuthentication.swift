import TesseraCryptography
import TesseraSmartCard

/// The evidence of Active Authentication (Doc 9303-11, 6.1): the chip signs a challenge with the private key of DG15.
package struct ActiveAuthenticationEvidence: Sendable, Equatable {
  /// `RND.IFD`, 8 bytes.
  package let challenge: [UInt8]
  /// The chip's signature; nil if it refused.
  package let signature: [UInt8]?
  /// The chip's status word; 0000 if no command was sent.
  package let status: StatusWord
  /// Whether the signature needs extended length, which the reader does not support. It may be missing for that reason.
  package let isBeyondReader: Bool

  package init(challenge: [UInt8], signature: [UInt8]?, status: StatusWord, isBeyondReader: Bool = false) {
    self.challenge = challenge
    self.signature = signature
    self.status = status
    self.isBeyondReader = isBeyondReader
  }

  /// The result of verifying the evidence.
  package enum Finding: Sendable, Equatable {
    /// The chip has the private key. The text names the key and the hash function.
    case proven(String)
    case refused(StatusWord)
    case wrong(String)
    /// The answer or what DG14 and DG15 say of it is malformed.
    case undecided(String)
    /// The key or the algorithm is not supported.
    case unsupported(String)
  }

  /// - Parameters:
  ///   - key: of DG15, which Passive Authentication verifies.
  ///   - infos: of DG14, which states the hash function for an elliptic-curve key.
  package func evaluate(_ key: PublicKey, _ infos: SecurityInfos?) -> Finding {
    let signature = status == .success ? signature ?? [] : []
    if isBeyondReader, case .rsa(let bits, _) = key.kind, signature.count < bits / 8 {
      return .unsupported(
        "The chip signs with RSA of \(bits) bits, which needs extended length, and the reader does not support it "
          + "(status \(status)).")
    }
    guard !signature.isEmpty else { return .refused(status) }
    do {
      switch key.kind {
      case .rsa(let bits, _): return try evaluateRSA(key, bits, signature)
      case .ellipticCurve(let bits, let curve, _, _):
        return try evaluateECDSA(key, curve ?? "explicit parameters of \(bits) bits", signature, infos)
      case .other: return .unsupported("The key in DG15 is neither RSA nor elliptic-curve.")
      }
    } catch let error as CryptographyError {
      if case .unsupported = error { return .unsupported(error.failure.cause) }
      return .undecided(error.failure.cause)
    } catch {
      return .undecided("The signature could not be verified.")
    }
  }

  // MARK: - RSA

  /// The octets that a signature may be shorter than its key, since some chips omit leading zeros. Others cut a long
  /// signature to what one short response carries, with status 9000 (github.com/AndyQ/NFCPassportReader, issue 194).
  private static let absentZeros = 4

  private func evaluateRSA(_ key: PublicKey, _ bits: Int, _ signature: [UInt8]) throws -> Finding {
    let length = (bits + 7) / 8
    guard signature.count >= length - Self.absentZeros else {
      return .undecided("The chip's signature has \(signature.count) octets of \(length), so it was cut.")
    }
    let opened: (message: [UInt8], complement: [UInt8])
    do {
      opened = try key.recover(signature)
    } catch CryptographyError.malformed(let reason) {
      return .wrong(CryptographyError.malformed(reason).failure.cause)
    }
    var reason = "The signature does not contain a message."
    // The last nibble of a message is C. If it is not, the signer used the complement.
    for bytes in [opened.message, opened.complement] where bytes.last.map({ $0 & 0x0F }) == 0x0C {
      do {
        for message in try RecoveredMessage.readings(of: bytes) where try message.covers(challenge) {
          return .proven("RSA of \(bits) bits, \(message.hashAlgorithm.rawValue)")
        }
        reason = "The signature does not cover the challenge."
      } catch RecoveredMessage.Problem.hashAlgorithm(let number) {
        // The chip chooses this number. A clone can search for a signature that contains an unknown number, so the
        // signature is wrong and not undecidable.
        reason = "The signature names an unknown hash function, \([number].hexadecimal) of ISO/IEC 10118-3."
      } catch is RecoveredMessage.Problem {
        continue
      }
    }
    return .wrong(reason)
  }

  // MARK: - ECDSA

  private func evaluateECDSA(
    _ key: PublicKey, _ curve: String, _ signature: [UInt8], _ infos: SecurityInfos?
  ) throws -> Finding {
    let named = Set(infos?.activeAuthentication.map(\.signatureAlgorithm) ?? [])
    guard named.count <= 1 else { return .undecided("DG14 names several signature algorithms for one key.") }
    let hashes: [HashAlgorithm]
    if let name = named.first {
      guard let hash = SignatureAlgorithm(plainECDSA: name)?.hash else {
        return .unsupported(
          "DG14 names the signature algorithm \(name), which is not ECDSA with a known hash function.")
      }
      hashes = [hash]
    } else {
      // Older documents do not state the hash function. Trying all of them is safe: a signature that is valid with any
      // of them needs the private key.
      hashes = HashAlgorithm.allCases
    }
    // Doc 9303-11, 6.1.2.3 wants the plain form. Some national documents send the DER form, and some chips omit leading
    // zeros of the numbers. A hash function that OpenSSL refuses says nothing about the others.
    var failure: (any Error)?
    for hash in hashes {
      do {
        let isSigned = try key.verify(signature, over: challenge, .ecdsa(hash), inAnyForm: true)
        if isSigned { return .proven("ECDSA, \(curve), \(hash.rawValue)") }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return .wrong("The signature does not cover the challenge.")
  }
}

extension StatusWord {
  /// Not a status word of a chip: no response exists.
  package static let none = StatusWord(0x0000)
}

extension SignatureAlgorithm {
  /// `ecdsa-plain-SHA…` of BSI TR-03111, 5.2.1.1, or the identifiers of X9.62 that some documents use instead.
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

/// Runs Active Authentication in a session with the chip: one exchange (Doc 9303-11, 6.1.3).
struct ActiveAuthenticationDriver {
  /// Length of `RND.IFD` in bytes.
  static let challengeLength = 8

  let session: ChipSession
  /// The expected lengths to try, in this order. A chip may refuse a command once.
  let lengths: [Int]
  private let needsExtendedLength: Bool
  /// Whether the reader is known to carry short commands only.
  private let hasLimit: Bool

  /// A protected signature of 2048 bits does not fit a short response. A chip with such a key must support extended
  /// length, whether or not it announces that (Doc 9303-11, 6.1.4); a chip that does not may keep the rest for GET
  /// RESPONSE (61xx).
  ///
  /// - Parameters:
  ///   - answerLength: length of the key's signatures in bytes.
  ///   - plainLength: length of the key's signatures in the form of Doc 9303-11, in bytes; nil for the same. Some chips
  ///     demand to be asked for exactly so many.
  ///   - extendedLengthLimit: of the reader; nil for a reader that carries short commands only.
  init(session: ChipSession, answerLength: Int, plainLength: Int? = nil, extendedLengthLimit: Int?) {
    self.session = session
    needsExtendedLength = session.largestPlaintext(inResponseOf: 256) < answerLength
    hasLimit = extendedLengthLimit == nil
    let long = max(257, answerLength)
    if !needsExtendedLength {
      // A chip may refuse a command once; and one whose signature is longer might cut it for the last of these.
      lengths = [256, 256, max(1, min(plainLength ?? answerLength, 256))]
    } else if extendedLengthLimit == nil {
      lengths = [256, 256]
    } else {
      lengths = session.carriesExtendedLength ? [long, long, 256] : [long, 256]
    }
  }

  /// Whether the answer is too long for this reader. Many readers state that they carry extended length and do not:
  /// then no long response has ever arrived.
  private var isBeyondReader: Bool { needsExtendedLength && (hasLimit || !session.carriesExtendedLength) }

  /// The evidence of a chip that returned no signature.
  func refusal(challenge: [UInt8], _ status: StatusWord) -> ActiveAuthenticationEvidence {
    ActiveAuthenticationEvidence(challenge: challenge, signature: nil, status: status, isBeyondReader: isBeyondReader)
  }

  /// - Parameter challenge: 8 bytes.
  /// - Throws: `PassportError.challengeLength` for another length.
  func run(challenge: [UInt8], length: Int) async throws -> ActiveAuthenticationEvidence {
    guard challenge.count == Self.challengeLength else { throw PassportError.challengeLength(challenge.count) }
    let command = CommandAPDU(ins: 0x88, p1: 0, p2: 0, data: challenge, expectedLength: length)
    let answer = try await session.transceive(command)
    guard answer.status == .success else { return refusal(challenge: challenge, answer.status) }
    return ActiveAuthenticationEvidence(
      challenge: challenge, signature: answer.data, status: answer.status, isBeyondReader: isBeyondReader)
  }
}
