import CTesseraOpenSSL
import Tessera

/// The keys of a document signer, generated for this run, and the lower bound of Passive Authentication with OpenSSL:
/// the digests, and the verification of one signature with a decoded key.
final class OpenSSLPassive {
  enum Algorithm: String, CaseIterable {
    case ecdsa = "ECDSA"
    case rsa = "RSA"
  }

  private let key: OpaquePointer?
  private let signature: [UInt8]
  private let signed: [UInt8]
  private let hashed: [[UInt8]]
  /// EF.SOD, signed with CMS.
  let securityObject: [UInt8]

  /// - Parameter dataGroups: The data groups by number.
  init(_ algorithm: Algorithm, dataGroups: [Int: [UInt8]]) throws {
    let object = LDSSecurityObject(
      hashAlgorithm: .sha256, digests: try dataGroups.mapValues { try HashAlgorithm.sha256.digest(of: $0) })
    let content = try object.encoded()
    key = try Self.makeKey(algorithm)
    securityObject = EFSOD.encode(contentInfo: try Self.signed(content, key))
    let signer = try EFSOD(securityObject).signedData.signers
    signature = signer.first?.signature ?? []
    signed = signer.first?.signedAttributes ?? []
    hashed = [content] + dataGroups.values
    try run()
  }

  deinit { EVP_PKEY_free(key) }

  func run() throws {
    var digest = [UInt8](repeating: 0, count: 32)
    for bytes in hashed { try check(EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)) }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    try check(EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key))
    try check(EVP_DigestVerify(context, signature, signature.count, signed, signed.count))
  }

  private static func makeKey(_ algorithm: Algorithm) throws -> OpaquePointer? {
    let context = EVP_PKEY_CTX_new_id(algorithm == .rsa ? EVP_PKEY_RSA : EVP_PKEY_EC, nil)
    defer { EVP_PKEY_CTX_free(context) }
    try check(EVP_PKEY_keygen_init(context))
    switch algorithm {
    case .ecdsa: try check(EVP_PKEY_CTX_set_group_name(context, "prime256v1"))
    case .rsa: try check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048))
    }
    var key: OpaquePointer?
    try check(EVP_PKEY_generate(context, &key))
    return key
  }

  /// A CMS `ContentInfo` with a self-signed certificate.
  private static func signed(_ content: [UInt8], _ key: OpaquePointer?) throws -> [UInt8] {
    let certificate = X509_new()
    defer { X509_free(certificate) }
    let name = X509_get_subject_name(certificate)
    try check(X509_set_version(certificate, 2))
    try check(ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1))
    try check(X509_NAME_add_entry_by_txt(name, "CN", Int32(MBSTRING_UTF8), "Bench", -1, -1, 0))
    try check(X509_set_issuer_name(certificate, name))
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0)
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
    try check(X509_set_pubkey(certificate, key))
    guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw OpenSSLFailed() }

    let flags = UInt32(CMS_PARTIAL | CMS_BINARY | CMS_NOSMIMECAP)
    let source = BIO_new_mem_buf(content, Int32(content.count))
    defer { BIO_free(source) }
    let type = OBJ_txt2obj(LDSSecurityObject.objectIdentifier, 1)
    defer { ASN1_OBJECT_free(type) }
    let cms = CMS_sign(nil, nil, nil, nil, flags)
    defer { CMS_ContentInfo_free(cms) }
    try check(CMS_set1_eContentType(cms, type))
    guard CMS_add1_signer(cms, certificate, key, EVP_sha256(), flags) != nil else { throw OpenSSLFailed() }
    try check(CMS_set_detached(cms, 0))
    try check(CMS_final(cms, source, nil, flags))
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = i2d_CMS_ContentInfo(cms, &buffer)
    guard length > 0, let buffer else { throw OpenSSLFailed() }
    defer { tessera_openssl_free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }
}
