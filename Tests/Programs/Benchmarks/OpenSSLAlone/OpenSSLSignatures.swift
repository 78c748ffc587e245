import CTesseraOpenSSL
import Tessera

/// The lower bound of verification: the digests and the signatures of a document or of a list, by OpenSSL alone. The
/// keys are decoded before, and those with explicit parameters are on a named curve.
struct OpenSSLSignatures: Sendable {
  /// One signature and the part that it covers.
  private struct Signature: Sendable {
    let key: PublicKey
    let algorithm: SignatureAlgorithm
    let message: [UInt8]
    let signature: [UInt8]
  }

  private var signatures: [Signature] = []
  private var hashed: [(HashAlgorithm, [UInt8])] = []

  var count: Int { signatures.count }

  mutating func add(_ key: PublicKey, _ algorithm: SignatureAlgorithm, _ message: [UInt8], _ signature: [UInt8]) throws
  {
    guard let hash = algorithm.hash else { throw OpenSSLFailed() }
    var encoded = signature
    var algorithm = algorithm
    if case .plainECDSA = algorithm {
      encoded = try ECDSASignature.der(plain: signature)
      algorithm = .ecdsa(hash)
    }
    signatures.append(Signature(key: key, algorithm: algorithm, message: message, signature: encoded))
    try verify(signatures.count - 1)
  }

  /// Adds the signature of a certificate.
  mutating func add(_ certificate: Certificate, signedBy issuer: PublicKey) throws {
    try add(
      issuer, certificate.signatureAlgorithm, Array(certificate.signedPart), Array(certificate.signature))
  }

  /// Adds the signature of the first signer, and the digest of the content.
  mutating func add(_ signedData: SignedData) throws {
    guard let signer = signedData.signers.first, let certificate = signedData.certificates(of: signer).first else {
      throw OpenSSLFailed()
    }
    add(signedData.content, signer.digestAlgorithm)
    try add(
      certificate.publicKey, signer.signatureAlgorithm, signer.signedAttributes ?? signedData.content, signer.signature)
  }

  /// Adds the digest of these bytes.
  mutating func add(_ bytes: [UInt8], _ hash: HashAlgorithm) { hashed.append((hash, bytes)) }

  /// Computes all digests and verifies all signatures on this core.
  func run() throws {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    for (hash, bytes) in hashed { try check(EVP_Digest(bytes, bytes.count, &digest, nil, Self.method(hash), nil)) }
    for index in signatures.indices { try verify(index) }
  }

  /// Verifies the signature with this index.
  func verify(_ index: Int) throws {
    let entry = signatures[index]
    try entry.key.withKey { key in
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      var keyContext: OpaquePointer?
      try check(EVP_DigestVerifyInit(context, &keyContext, Self.method(entry.algorithm.hash ?? .sha256), nil, key))
      if case .rsaPSS(_, let maskHash, let saltLength) = entry.algorithm {
        try check(EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING))
        try check(EVP_PKEY_CTX_set_rsa_mgf1_md(keyContext, Self.method(maskHash)))
        try check(EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, Int32(saltLength)))
      }
      try check(
        EVP_DigestVerify(context, entry.signature, entry.signature.count, entry.message, entry.message.count))
    }
  }

  private static func method(_ hash: HashAlgorithm) -> OpaquePointer? {
    switch hash {
    case .sha1: EVP_sha1()
    case .sha224: EVP_sha224()
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .sha512: EVP_sha512()
    }
  }
}

extension OpenSSLSignatures {
  /// The digests of the data groups, the signature of EF.SOD, that of the document signer's certificate, and that of
  /// Active Authentication if it is ECDSA.
  init(_ dump: DocumentDump, countrySigner: Certificate) throws {
    let sod = try dump.securityObject()
    for group in dump.dataGroups.values { add(group, sod.securityObject.hashAlgorithm) }
    try add(sod.signedData)
    guard let signer = sod.signedData.certificates.first else { throw OpenSSLFailed() }
    try add(signer, signedBy: countrySigner.publicKey)
    if let key = try dump.content.dataGroup15?.get().publicKey, let evidence = dump.evidence.activeAuthentication,
      let signature = evidence.signature, case .ellipticCurve = key.kind
    {
      // Documents sign with the plain form; DG14 states the hash function.
      for hash in HashAlgorithm.allCases {
        if (try? add(key, .plainECDSA(hash), evidence.challenge, signature)) != nil { break }
        signatures.removeLast()
      }
    }
  }
}
