import TesseraVirtualChip

@testable import TesseraPassport

/// DG3 and DG4 in both formats. An even first byte selects DG3.
enum BiometricsHarness: Harness {
  static let name = "biometrics"

  static func seeds() throws -> [String: [UInt8]] {
    let groups = try SpecimenDocument.everyGroup()
    let finger = FingerRecord.Image(position: 2, width: 4, height: 4, data: [UInt8](repeating: 7, count: 16))
    return [
      "fingers": [0] + (groups[3] ?? []), "irises": [1] + (groups[4] ?? []),
      "finger": [0] + DataGroup3(records: [FingerRecord(compression: 0, images: [finger])]).encoded,
      "no-fingers": [0, 0x63, 0x06, 0x7F, 0x61, 0x03, 0x02, 0x01, 0x00],
    ]
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    if parts.byte().isMultiple(of: 2) {
      let group = try DataGroup3(parts.all())
      _ = group.findings.map(\.failure.cause)
      property((try? DataGroup3(group.encoded))?.templates == group.templates, "DG3 is written as it was read")
    } else {
      let group = try DataGroup4(parts.all())
      _ = group.findings.map(\.failure.cause)
      property((try? DataGroup4(group.encoded))?.templates == group.templates, "DG4 is written as it was read")
    }
  }
}
