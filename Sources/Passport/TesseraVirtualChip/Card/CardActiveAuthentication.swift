import TesseraCryptography
import TesseraSmartCard

/// The card's side of Active Authentication (Doc 9303-11, 6.1 and appendix F).
struct CardActiveAuthentication {
  let offer: ActiveAuthenticationOffer
  var isClone = false
  /// The hash function of ECDSA; nil for the offer's.
  var signatureHash: HashAlgorithm?

  /// The signature of a challenge of 8 bytes.
  func sign(_ challenge: [UInt8]) throws -> [UInt8] {
    switch offer {
    case .rsa(let bits, let hash, let trailer, let recovery):
      let key = try SpecimenKeys.rsa(bits: bits)
      let trailerBytes = Self.trailer(hash, trailer)
      let capacity = key.modulus.count - 1 - hash.digestLength - trailerBytes.count
      let random = try RandomBytes.make(recovery == .total ? capacity - challenge.count : capacity)
      let message = try Self.representative(
        random: random, challenge: challenge, hash: hash, trailer: trailerBytes, recovery: recovery)
      return try applyPrivateKey(message, key)
    case .ecdsa(let parameters, let hash, let encoding):
      let exponent = try SpecimenKeys.activeAuthentication(parameters, isClone: isClone)
      let (r, s) = try parameters.curve().sign(try (signatureHash ?? hash).digest(of: challenge), with: exponent)
      return encoding == .plain ? r + s : DERBytes.sequence(DERBytes.integer(r), DERBytes.integer(s))
    }
  }

  /// The message representative `F`, which the private exponent is applied to (ISO/IEC 9796-2, 8.1).
  ///
  /// - Parameter random: `M1`; with partial recovery it fills the remaining length.
  static func representative(
    random: [UInt8], challenge: [UInt8], hash: HashAlgorithm, trailer: [UInt8],
    recovery: ActiveAuthenticationOffer.Recovery
  ) throws -> [UInt8] {
    let digest = try hash.digest(of: random + challenge)
    switch recovery {
    case .partial: return [0x6A] + random + digest + trailer
    case .total: return [0x4A] + random + challenge + digest + trailer
    }
  }

  static func trailer(_ hash: HashAlgorithm, _ trailer: ActiveAuthenticationOffer.Trailer) -> [UInt8] {
    switch (trailer, hash) {
    case (.implicit, _): [0xBC]
    case (.hashIdentifier, .sha1): [0x33, 0xCC]
    case (.hashIdentifier, .sha256): [0x34, 0xCC]
    case (.hashIdentifier, .sha512): [0x35, 0xCC]
    case (.hashIdentifier, .sha384): [0x36, 0xCC]
    case (.hashIdentifier, .sha224): [0x38, 0xCC]
    }
  }

  private func applyPrivateKey(_ message: [UInt8], _ key: SpecimenKeys.RSA) throws -> [UInt8] {
    let numbers = try ModularArithmetic(BigNumber(key.modulus))
    var exponent = try BigNumber(key.privateExponent)
    // A clone does not know the private key.
    if isClone { exponent = try exponent.shiftedRight(by: 1) }
    return try numbers.power(BigNumber(message), exponent).bytes(count: key.modulus.count)
  }
}
