import TesseraCryptography

/// A static key of Chip Authentication version 1 (Doc 9303-11, 6.2), as DG14 lists it.
package struct ChipAuthenticationOffer: Sendable, Equatable {
  package var cipher: KeyDerivation.Cipher
  package var parameters: AgreementParameters
  /// Distinguishes several keys.
  package var keyIdentifier: Int?
  /// Whether DG14 has a ChipAuthenticationInfo for the key. Some documents with 3DES list only the key.
  package var hasInfo: Bool

  package init(
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

  package var description: String { "CA \(cipher.name) \(parameters.name)" }
}

/// The key and the signatures of Active Authentication (Doc 9303-11, 6.1).
package enum ActiveAuthenticationOffer: Sendable, Equatable {
  /// ISO/IEC 9796-2, scheme 1.
  ///
  /// - Parameters:
  ///   - bits: 1024 or 2048.
  ///   - trailer: One byte BC with SHA-1, otherwise two bytes that identify the hash function.
  ///   - recovery: The part of the message that the signature contains.
  case rsa(bits: Int, HashAlgorithm, trailer: Trailer = .hashIdentifier, recovery: Recovery = .partial)
  case ecdsa(AgreementParameters, HashAlgorithm, encoding: SignatureEncoding = .plain)

  package enum Trailer: Sendable, Equatable {
    /// `BC`: the signature does not identify the hash function.
    case implicit
    /// `33CC` for SHA-1, `34CC` for SHA-256, and so on (ISO/IEC 10118-3).
    case hashIdentifier
  }

  package enum Recovery: Sendable, Equatable {
    /// Header 6A: the signature contains a random part and not the challenge.
    case partial
    /// Header 4A: the signature contains the whole message.
    case total
  }

  package enum SignatureEncoding: Sendable, Equatable {
    /// `r || s`.
    case plain
    /// `Ecdsa-Sig-Value`, which some national documents use.
    case der
  }

  package var description: String {
    switch self {
    case .rsa(let bits, let hash, _, _): "AA RSA-\(bits) \(hash.rawValue)"
    case .ecdsa(let parameters, let hash, _): "AA ECDSA \(parameters.name) \(hash.rawValue)"
    }
  }
}
