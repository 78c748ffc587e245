import TesseraCryptography
import TesseraSmartCard

/// A card-verifiable certificate, as the chip parses it (BSI TR-03110-3, C.1 and D).
struct CardVerifiableCertificate {
  let authority: [UInt8]
  let holder: [UInt8]
  let key: CardVerifiableKey
  let authorization: UInt8
  /// Six digits, one per byte.
  let effective: [UInt8]
  let expiration: [UInt8]
  private let body: ArraySlice<UInt8>
  private let signature: [UInt8]

  /// - Parameters:
  ///   - bytes: The body 7F4E and the signature 5F37, without the outer object 7F21.
  ///   - domain: The issuer's curve, used if the certificate contains no domain parameters.
  init(_ bytes: [UInt8], domain: [UInt8]?) throws {
    var rest = bytes[...]
    let content = try BERTLV.take(from: &rest)
    body = bytes[..<rest.startIndex]
    let tail = try BERTLV.take(from: &rest)
    guard content.tag == 0x7F4E, tail.tag == 0x5F37, rest.isEmpty else { throw Malformed() }
    signature = Array(tail.value)
    let objects = try BERTLV.sequence(content.value)
    func value(_ tag: UInt32, in objects: [BERTLV]) throws -> [UInt8] {
      guard let object = objects.first(where: { $0.tag == tag }) else { throw Malformed() }
      return Array(object.value)
    }
    authority = try value(0x42, in: objects)
    holder = try value(0x5F20, in: objects)
    effective = try value(0x5F25, in: objects)
    expiration = try value(0x5F24, in: objects)
    let template = try BERTLV.sequence(try value(0x7F4C, in: objects)[...])
    guard try value(0x06, in: template) == Self.inspectionSystem, let rights = try value(0x53, in: template).first,
      effective.count == 6, expiration.count == 6, (effective + expiration).allSatisfy({ $0 <= 9 })
    else { throw Malformed() }
    authorization = rights
    key = try CardVerifiableKey(BERTLV.sequence(try value(0x7F49, in: objects)[...]), domain: domain)
  }

  struct Malformed: Error {}

  /// `id-IS`: roles of inspection systems.
  static let inspectionSystem: [UInt8] = [0x04, 0x00, 0x7F, 0x00, 0x07, 0x03, 0x01, 0x02, 0x01]

  func isSigned(by issuer: CardVerifiableKey) throws -> Bool { try issuer.verify(signature, over: body) }

  /// Whether an issuer with this authorization may certify this one: the role one step below; a CVCA also its
  /// successor.
  func mayBeIssued(by issuer: UInt8) -> Bool {
    switch (issuer >> 6, authorization >> 6) {
    case (3, 3), (3, 2), (3, 1), (2, 0), (1, 0): true
    default: false
    }
  }
}

/// The public key of such a certificate, with its signature algorithm.
struct CardVerifiableKey {
  let algorithm: SignatureAlgorithm
  /// `AlgorithmIdentifier` of a curve; nil for RSA.
  let domain: [UInt8]?
  private let publicKey: PublicKey

  /// - Parameter objects: The content of 7F49 (BSI TR-03110-3, D.3).
  init(_ objects: [BERTLV], domain inherited: [UInt8]?) throws {
    func value(_ tag: UInt32) -> [UInt8]? { objects.first { $0.tag == tag }.map { Array($0.value) } }
    // id-TA is 0.4.0.127.0.7.2.2.2; then RSA or ECDSA, then the variant.
    guard let identifier = value(0x06), identifier.count == 10,
      identifier.starts(with: [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x02]),
      let algorithm = Self.algorithm(identifier[8], identifier[9])
    else { throw CardVerifiableCertificate.Malformed() }
    self.algorithm = algorithm
    if identifier[8] == 1 {
      guard let modulus = value(0x81), let exponent = value(0x82) else { throw CardVerifiableCertificate.Malformed() }
      domain = nil
      let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
      publicKey = try PublicKey(
        subjectPublicKeyInfo: DERBytes.sequence(
          DERBytes.sequence(DERBytes.objectIdentifier(rsaEncryption), [0x05, 0x00]),
          DERBytes.bitString(DERBytes.sequence(DERBytes.integer(modulus), DERBytes.integer(exponent)))))
    } else {
      guard let point = value(0x86) else { throw CardVerifiableCertificate.Malformed() }
      let own = Self.domain(value)
      guard let domain = own ?? inherited else { throw CardVerifiableCertificate.Malformed() }
      self.domain = domain
      publicKey = try PublicKey(subjectPublicKeyInfo: DERBytes.sequence(domain, DERBytes.bitString(point)))
    }
  }

  /// `ecPublicKey` with the explicit parameters of the objects 81 to 87; nil if they are missing.
  private static func domain(_ value: (UInt32) -> [UInt8]?) -> [UInt8]? {
    guard let prime = value(0x81), let a = value(0x82), let b = value(0x83), let generator = value(0x84),
      let order = value(0x85)
    else { return nil }
    let field = DERBytes.sequence(
      DERBytes.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x01, 0x01]), DERBytes.integer(prime))
    return DERBytes.sequence(
      DERBytes.objectIdentifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]),
      DERBytes.sequence(
        DERBytes.integer(1), field, DERBytes.sequence(BERTLV.encode(0x04, a), BERTLV.encode(0x04, b)),
        BERTLV.encode(0x04, generator), DERBytes.integer(order), DERBytes.integer(value(0x87) ?? [1])))
  }

  /// BSI TR-03110-3, A.7.
  private static func algorithm(_ family: UInt8, _ variant: UInt8) -> SignatureAlgorithm? {
    func pss(_ hash: HashAlgorithm) -> SignatureAlgorithm {
      .rsaPSS(hash, maskHash: hash, saltLength: hash.digestLength)
    }
    switch (family, variant) {
    case (1, 1): return .rsaPKCS1(.sha1)
    case (1, 2): return .rsaPKCS1(.sha256)
    case (1, 3): return pss(.sha1)
    case (1, 4): return pss(.sha256)
    case (1, 5): return .rsaPKCS1(.sha512)
    case (1, 6): return pss(.sha512)
    case (2, 1): return .plainECDSA(.sha1)
    case (2, 2): return .plainECDSA(.sha224)
    case (2, 3): return .plainECDSA(.sha256)
    case (2, 4): return .plainECDSA(.sha384)
    case (2, 5): return .plainECDSA(.sha512)
    default: return nil
    }
  }

  func verify(_ signature: [UInt8], over message: some Collection<UInt8>) throws -> Bool {
    try publicKey.verify(signature, over: message, algorithm)
  }
}
