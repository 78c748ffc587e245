internal import CTesseraTSS2
internal import SwiftASN1
import TesseraCryptography

/// A signing key of a TPM, wrapped by that TPM: `TPMKey` of draft-bottomley-tpm2-keys, the "TSS2 PRIVATE KEY" that
/// OpenSSL's `tpm2` provider reads and writes too. Only this TPM can use it, so the file is not secret.
/// Anyone with the file and access to the TPM can sign, unless the key has a PIN.
///
///     TPMKey ::= SEQUENCE {
///       type OBJECT IDENTIFIER, emptyAuth [0] EXPLICIT BOOLEAN OPTIONAL,
///       parent INTEGER, pubkey OCTET STRING, privkey OCTET STRING }
///
/// `pubkey` contains a `TPM2B_PUBLIC` and `privkey` a `TPM2B_PRIVATE` of TPM 2.0 Library, part 2.
package struct TPMKey: Sendable, Equatable {
  /// The encoded structure.
  package let der: [UInt8]
  /// The handle of the parent key: 0x40000001, the owner hierarchy's storage primary, or a persistent
  /// handle (0x81……).
  package let parent: UInt32
  /// Whether the key has a PIN: at first what the file says, which is the opposite if tpm2-tools (5.4, 5.7) wrote it.
  package var needsPIN: Bool
  /// The public point: 0x04, x and y, 65 bytes.
  package let publicPoint: [UInt8]
  /// `TPM2B_PUBLIC`.
  let publicArea: [UInt8]
  /// `TPM2B_PRIVATE`.
  let privateArea: [UInt8]

  /// The PEM label.
  package static let pemLabel = "TSS2 PRIVATE KEY"
  /// TPM_RH_OWNER.
  static let ownerHierarchy: UInt32 = 0x4000_0001
  private static let loadableKey = "2.23.133.10.1.3"

  /// Decodes a key. Accepts BER booleans, since tpm2-openssl encodes true as 1.
  ///
  /// - Throws: `TPMError.malformedKey` for an invalid structure, or a public point that is not on the curve;
  ///   `.unsupportedKey` unless it is a P-256 key for ECDSA with SHA-256 and an authorization value.
  package init(der: [UInt8]) throws(TPMError) {
    let fields: TPMKeyFields
    do {
      fields = try TPMKeyFields(der)
    } catch {
      throw error as? TPMError ?? .malformedKey("its ASN.1 structure")
    }
    guard fields.type == Self.loadableKey else { throw .unsupportedKey("it is of type \(fields.type)") }
    guard !fields.hasPolicy else { throw .unsupportedKey("it requires a policy") }
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
  package init(pem: String) throws(TPMError) {
    guard let document = try? PEMDocument(pemString: pem), document.discriminator == Self.pemLabel else {
      throw .malformedKey("it is not a PEM block \(Self.pemLabel)")
    }
    try self.init(der: document.derBytes)
  }

  /// Encodes and validates a new key.
  init(parent: UInt32, needsPIN: Bool, publicArea: [UInt8], privateArea: [UInt8]) throws(TPMError) {
    try self.init(
      der: TPMKeyFields.encode(
        type: Self.loadableKey, emptyAuth: !needsPIN, parent: parent, publicArea: publicArea, privateArea: privateArea))
  }

  /// The PEM form, which OpenSSL reads with `-provider tpm2`.
  package var pem: String { PEMDocument(type: Self.pemLabel, derBytes: der).pemString + "\n" }

  /// The public key for OpenSSL and certificates: `SubjectPublicKeyInfo` of RFC 5480, section 2, 91 bytes.
  package var subjectPublicKeyInfo: [UInt8] {
    P256PublicKey.head + publicPoint
  }
}

/// The private part of a key, wrapped by its parent: `TPM2B_PRIVATE` of TPM 2.0 Library, part 2, 12.3.7.
struct PrivateArea {
  private(set) var structure: TPM2B_PRIVATE

  /// - Throws: `TPMError.malformedKey`.
  init(marshalled bytes: [UInt8]) throws(TPMError) {
    structure = TPM2B_PRIVATE()
    var offset = 0
    let status = ResponseCode(Tss2_MU_TPM2B_PRIVATE_Unmarshal(bytes, bytes.count, &offset, &structure))
    guard status.isSuccess, offset == bytes.count, structure.size > 0 else { throw .malformedKey("the private area") }
  }

  static func marshal(_ structure: TPM2B_PRIVATE) throws(TPMError) -> [UInt8] {
    var structure = structure
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<TPM2B_PRIVATE>.size)
    var count = 0
    let status = ResponseCode(Tss2_MU_TPM2B_PRIVATE_Marshal(&structure, &bytes, bytes.count, &count))
    guard status.isSuccess, count <= bytes.count else { throw .malformedKey("the private area") }
    return Array(bytes.prefix(count))
  }
}
