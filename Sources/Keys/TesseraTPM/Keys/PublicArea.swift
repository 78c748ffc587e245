internal import CTesseraTSS2
import TesseraCryptography

/// The public part of a signing key: `TPM2B_PUBLIC` of TPM 2.0 Library, part 2, 12.2.
struct PublicArea {
  private(set) var structure: TPM2B_PUBLIC

  /// Decodes untrusted bytes. Accepts only keys for P-256 ECDSA signatures with an authorization value.
  ///
  /// - Throws: `TPMError.malformedKey`, `.unsupportedKey`.
  init(marshalled bytes: [UInt8]) throws(TPMError) {
    structure = TPM2B_PUBLIC()
    var offset = 0
    let status = ResponseCode(Tss2_MU_TPM2B_PUBLIC_Unmarshal(bytes, bytes.count, &offset, &structure))
    guard status.isSuccess, offset == bytes.count else { throw .malformedKey("the public area") }
    // The TSS accepts some inconsistent lengths; encoding the structure again detects them.
    guard try Self.marshal(structure) == bytes else { throw .malformedKey("the public area is not canonical") }
    try check()
  }

  static func marshal(_ structure: TPM2B_PUBLIC) throws(TPMError) -> [UInt8] {
    var structure = structure
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<TPM2B_PUBLIC>.size)
    var count = 0
    let status = ResponseCode(Tss2_MU_TPM2B_PUBLIC_Marshal(&structure, &bytes, bytes.count, &count))
    guard status.isSuccess, count <= bytes.count else { throw .malformedKey("the public area") }
    return Array(bytes.prefix(count))
  }

  /// `0x04 || x || y`, 65 bytes. Not checked to be on the curve.
  func point() throws(TPMError) -> [UInt8] {
    let unique = structure.publicArea.unique.ecc
    guard let x = Coordinate.padded(unique.x), let y = Coordinate.padded(unique.y) else {
      throw .malformedKey("the public point")
    }
    return [0x04] + x + y
  }

  private func check() throws(TPMError) {
    let area = structure.publicArea
    guard area.type == TPM2_ALG_ECC else { throw .unsupportedKey("it is not an elliptic-curve key") }
    guard area.nameAlg == TPM2_ALG_SHA256 else { throw .unsupportedKey("its name hash is not SHA-256") }
    let parameters = area.parameters.eccDetail
    guard parameters.curveID == TPM2_ECC_NIST_P256 else { throw .unsupportedKey("it is not on the curve P-256") }
    let attributes = area.objectAttributes
    guard attributes & TPMA_OBJECT_SIGN_ENCRYPT != 0, attributes & TPMA_OBJECT_X509SIGN == 0 else {
      throw .unsupportedKey("it is not for signing")
    }
    guard attributes & TPMA_OBJECT_RESTRICTED == 0 else { throw .unsupportedKey("it is restricted to data of the TPM") }
    guard attributes & TPMA_OBJECT_USERWITHAUTH != 0 else { throw .unsupportedKey("it requires a policy") }
    let scheme = parameters.scheme
    switch scheme.scheme {
    case TPM2_ALG_NULL: break
    case TPM2_ALG_ECDSA:
      guard scheme.details.ecdsa.hashAlg == TPM2_ALG_SHA256 else { throw .unsupportedKey("it is not for SHA-256") }
    default: throw .unsupportedKey("it is not for ECDSA")
    }
    guard parameters.symmetric.algorithm == TPM2_ALG_NULL, parameters.kdf.scheme == TPM2_ALG_NULL else {
      throw .unsupportedKey("it has parameters of a storage key")
    }
  }
}

/// A coordinate, or r or s of a signature. The TPM may omit leading zeros.
enum Coordinate {
  static let size = 32

  /// The number as 32 bytes, big-endian; nil if it is empty or longer.
  static func padded(_ number: TPM2B_ECC_PARAMETER) -> [UInt8]? {
    guard number.size <= size, number.size > 0,
      let bytes = SizedBuffer.bytes(number.buffer, count: number.size)
    else { return nil }
    return [UInt8](repeating: 0, count: size - bytes.count) + bytes
  }
}

/// The public areas (templates) of new keys.
enum Templates {
  /// The storage primary of draft-bottomley-tpm2-keys for a parent that is a hierarchy: the TCG's template of an ECC
  /// P-256 storage key (TCG TPM v2.0 Provisioning Guidance) with an empty `unique`. A primary is derived from the
  /// seed of the TPM and this template, so all programs with this template get the same key.
  static var storagePrimary: TPM2B_PUBLIC {
    var template = p256(
      TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH
        | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT)
    template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES
    template.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
    template.publicArea.parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB
    return template
  }

  /// - Parameter hasPIN: a key without PIN is exempt from the lockout (`NODA`), which wrong PINs of other keys can
  ///   cause.
  static func signingKey(hasPIN: Bool) -> TPM2B_PUBLIC {
    p256(
      TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH
        | TPMA_OBJECT_SIGN_ENCRYPT | (hasPIN ? 0 : TPMA_OBJECT_NODA))
  }

  private static func p256(_ attributes: TPMA_OBJECT) -> TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = TPM2_ALG_ECC
    template.publicArea.nameAlg = TPM2_ALG_SHA256
    template.publicArea.objectAttributes = attributes
    template.publicArea.parameters.eccDetail.curveID = TPM2_ECC_NIST_P256
    template.publicArea.parameters.eccDetail.symmetric.algorithm = TPM2_ALG_NULL
    template.publicArea.parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL
    template.publicArea.parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL
    return template
  }
}
