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
