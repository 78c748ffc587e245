import TesseraPassport

/// The data groups that EF.SOD signs and those that the chip stores. They differ only as a deviation of the issuance
/// asks.
struct DocumentContent {
  /// By data group number.
  private(set) var signed: [Int: [UInt8]]
  private(set) var stored: [Int: [UInt8]]

  /// - Parameter groups: The encoded data groups by number.
  init(_ groups: [Int: [UInt8]], _ issuance: DocumentIssuance) {
    signed = groups
    stored = groups
    for deviation in issuance.deviations {
      switch deviation {
      case .changedGroup:
        // The last byte belongs to the image.
        stored[2]?.withUnsafeMutableBytes { if let last = $0.indices.last { $0[last] ^= 1 } }
      case .uncoveredGroup:
        signed[11] = nil
        stored[11] = groups[11] ?? SpecimenDocument.personalDetails.encoded
      case .missingGroup:
        signed[12] = groups[12] ?? SpecimenDocument.documentDetails.encoded
        stored[12] = nil
      default: break
      }
    }
  }

  /// The document code of the MRZ without filler; `P` if there is no MRZ.
  var documentCode: String {
    let zone = stored[1].flatMap { try? DataGroup1($0).zone.get() }
    return zone.map { String($0.text.prefix(2).prefix { $0 != "<" }) } ?? "P"
  }
}
