import Cryptography
internal import SwiftASN1

/// A signing key of a TPM, wrapped by that TPM: `TPMKey` of draft-bottomley-tpm2-keys, the "TSS2 PRIVATE KEY" that
/// OpenSSL's `tpm2` provider reads and writes too. Only the TPM that made it can use it, so the file is no secret;
/// whoever has the file and may use the TPM can sign, unless the key has a PIN.
///
///     TPMKey ::= SEQUENCE {
///       type OBJECT IDENTIFIER, emptyAuth [0] EXPLICIT BOOLEAN OPTIONAL,
///       parent INTEGER, pubkey OCTET STRING, privkey OCTET STRING }
///
/// `pubkey` holds a `TPM2B_PUBLIC` and `privkey` a `TPM2B_PRIVATE` of TPM 2.0 Library, part 2.
public struct TPMKey: Sendable, Equatable {
  /// The structure as it came.
  public let der: [UInt8]
  /// The handle below which the key can be loaded: 0x40000001, the owner hierarchy's storage primary, or a persistent
  /// handle (0x81……).
  public let parent: UInt32
  /// Whether the key was made with a PIN, as the file says.
  public let needsPIN: Bool
  /// The public point: 0x04, x and y, 65 bytes.
  public let publicPoint: [UInt8]
  /// `TPM2B_PUBLIC`.
  let publicArea: [UInt8]
  /// `TPM2B_PRIVATE`.
  let privateArea: [UInt8]

  /// The label in the PEM form.
  public static let pemLabel = "TSS2 PRIVATE KEY"
  /// TPM_RH_OWNER.
  static let ownerHierarchy: UInt32 = 0x4000_0001
  private static let loadableKey = "2.23.133.10.1.3"

  /// Decodes a key. Booleans may be of BER, since tpm2-openssl writes 1 for true.
  ///
  /// - Throws: `TPMError.malformedKey` for a structure that is none, or a public point that is not on the curve;
  ///   `.unsupportedKey` for everything but a P-256 key for ECDSA (with SHA-256) that an authorization value opens.
  public init(der: [UInt8]) throws(TPMError) {
    let fields: TPMKeyFields
    do {
      fields = try TPMKeyFields(der)
    } catch {
      throw error as? TPMError ?? .malformedKey("its ASN.1 structure")
    }
    guard fields.type == Self.loadableKey else { throw .unsupportedKey("it is of type \(fields.type)") }
    guard !fields.hasPolicy else { throw .unsupportedKey("it needs a policy") }
    guard !fields.hasRSAParent else { throw .unsupportedKey("its parent is an RSA primary") }
    guard let parent = fields.parent,
      parent == Self.ownerHierarchy || (0x8100_0000...0x81FF_FFFF).contains(parent)
    else { throw .unsupportedKey("its parent is neither the owner hierarchy nor a persistent key") }
    _ = try PrivateArea(marshalled: fields.privateArea)
    publicPoint = try PublicArea(marshalled: fields.publicArea).point()
    self.der = der
    self.parent = parent
    needsPIN = !fields.emptyAuth
    publicArea = fields.publicArea
    privateArea = fields.privateArea
    guard (try? PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)) != nil else {
      throw .malformedKey("the public point is not on the curve")
    }
  }

  /// Decodes the PEM form.
  ///
  /// - Throws: like `init(der:)`.
  public init(pem: String) throws(TPMError) {
    guard let document = try? PEMDocument(pemString: pem), document.discriminator == Self.pemLabel else {
      throw .malformedKey("it is no PEM text of a \(Self.pemLabel)")
    }
    try self.init(der: document.derBytes)
  }

  /// The key that a TPM has just made, checked like any other.
  init(parent: UInt32, needsPIN: Bool, publicArea: [UInt8], privateArea: [UInt8]) throws(TPMError) {
    try self.init(
      der: TPMKeyFields.encode(
        type: Self.loadableKey, emptyAuth: !needsPIN, parent: parent, publicArea: publicArea, privateArea: privateArea))
  }

  /// The PEM form, as OpenSSL takes it with `-provider tpm2`.
  public var pem: String { PEMDocument(type: Self.pemLabel, derBytes: der).pemString + "\n" }

  /// The public key for OpenSSL and certificates: `SubjectPublicKeyInfo` of RFC 5480, section 2, 91 bytes.
  public var subjectPublicKeyInfo: [UInt8] {
    P256PublicKey.head + publicPoint
  }
}
