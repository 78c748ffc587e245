internal import CTesseraTSS2

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
