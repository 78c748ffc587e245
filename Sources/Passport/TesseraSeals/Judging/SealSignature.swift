import TesseraCryptography

/// The signature of a seal beside one certificate: ECDSA with r and s as they are, each as long as the order of the
/// curve (Doc 9303-13, signature zone; BSI TR-03111, 5.2.1).
enum SealSignature: Sendable, Equatable {
  case valid
  /// It verifies, but the key is on another curve than the seal's algorithm is for.
  case validOnOtherCurve
  case wrong
  /// It is not r and s of this key, or of the seal's algorithm.
  case wrongLength(actual: Int, expected: Int)
  /// With the cause, a sentence.
  case undecidable(String)

  var isVerified: Bool { self == .valid || self == .validOnOtherCurve }

  /// Whether it proves that this key did not sign these bytes.
  var isProof: Bool {
    switch self {
    case .wrong, .wrongLength: true
    case .valid, .validOnOtherCurve, .undecidable: false
    }
  }

  /// - Parameter key: decodes the key of a certificate.
  init(
    _ signature: [UInt8], of evidence: SealEvidence, by certificate: Certificate,
    key: (Certificate) throws -> PublicKey
  ) {
    do {
      let key = try key(certificate)
      guard case .ellipticCurve(let bits, let curve, _, _) = key.kind else {
        self = .undecidable("The key of the signer is not on an elliptic curve.")
        return
      }
      // Those of the key and those of the algorithm that the seal names; they differ only if the seal is wrong.
      for bits in [evidence.fieldBits, bits].compactMap(\.self) where signature.count != Self.length(bits) {
        self = .wrongLength(actual: signature.count, expected: Self.length(bits))
        return
      }
      let algorithm = SignatureAlgorithm.plainECDSA(evidence.hash ?? Self.hash(orderBits: bits))
      guard try key.verify(signature, over: evidence.signedBytes, algorithm) else {
        self = .wrong
        return
      }
      let isOnCurve = evidence.fieldBits.map { Self.curves[$0] == curve } ?? true
      self = isOnCurve ? .valid : .validOnOtherCurve
    } catch {
      self = .undecidable((error as? CryptographyError)?.failure.cause ?? "The signature cannot be verified.")
    }
  }

  /// Of r and s together, in bytes.
  private static func length(_ orderBits: Int) -> Int { (orderBits + 7) / 8 * 2 }

  /// Doc 9303-13, signature creation. It has no row for more than 512 bits; of P-521, everybody uses SHA-512.
  private static func hash(orderBits: Int) -> HashAlgorithm {
    switch orderBits {
    case ...224: .sha224
    case ...256: .sha256
    case ...384: .sha384
    default: .sha512
    }
  }

  /// The curves that an algorithm can be bound to (RFC 7518, 3.4), as OpenSSL names them.
  private static let curves = [256: "prime256v1", 384: "secp384r1", 521: "secp521r1"]
}
