import Cryptography

/// A static key of Chip Authentication version 1 (Doc 9303-11, 6.2), as DG14 lists it.
public struct ChipAuthenticationOffer: Sendable, Equatable {
  public var cipher: KeyDerivation.Cipher
  public var parameters: AgreementParameters
  /// Tells several keys apart.
  public var keyIdentifier: Int?
  /// Whether DG14 has a ChipAuthenticationInfo for the key; some documents with 3DES list the key alone.
  public var hasInfo: Bool

  public init(
    _ cipher: KeyDerivation.Cipher, _ parameters: AgreementParameters, keyIdentifier: Int? = nil, hasInfo: Bool = true
  ) {
    self.cipher = cipher
    self.parameters = parameters
    self.keyIdentifier = keyIdentifier
    self.hasInfo = hasInfo
  }

  /// `id-CA-DH-…` or `id-CA-ECDH-…`, the value of the object identifier.
  var objectIdentifier: [UInt8] {
    [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x03, parameters.kind == .modular ? 1 : 2, cipher.suiteNumber]
  }

  public var description: String { "CA \(cipher.name) \(parameters.name)" }
}

/// The key and the signatures of Active Authentication (Doc 9303-11, 6.1).
public enum ActiveAuthenticationOffer: Sendable, Equatable {
  /// ISO/IEC 9796-2, scheme 1.
  ///
  /// - Parameters:
  ///   - bits: 1024 or 2048.
  ///   - trailer: one byte BC with SHA-1, two bytes that name the hash function otherwise.
  ///   - recovery: what of the message comes out of the signature.
  case rsa(bits: Int, HashAlgorithm, trailer: Trailer = .hashIdentifier, recovery: Recovery = .partial)
  case ecdsa(AgreementParameters, HashAlgorithm, encoding: SignatureEncoding = .plain)

  public enum Trailer: Sendable, Equatable {
    /// `BC`: the hash function is known otherwise.
    case implicit
    /// `33CC` for SHA-1, `34CC` for SHA-256, and so on (ISO/IEC 10118-3).
    case hashIdentifier
  }

  public enum Recovery: Sendable, Equatable {
    /// Header 6A: a random part is recovered, the challenge is not in the signature.
    case partial
    /// Header 4A: the whole message is recovered.
    case total
  }

  public enum SignatureEncoding: Sendable, Equatable {
    /// `r || s`.
    case plain
    /// `Ecdsa-Sig-Value`, as some national documents have it.
    case der
  }

  public var description: String {
    switch self {
    case .rsa(let bits, let hash, _, _): "AA RSA-\(bits) \(hash.rawValue)"
    case .ecdsa(let parameters, let hash, _): "AA ECDSA \(parameters.name) \(hash.rawValue)"
    }
  }
}
