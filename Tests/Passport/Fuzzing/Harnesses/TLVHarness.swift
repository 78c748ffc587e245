import TesseraSmartCard
import TesseraVirtualChip

@testable import TesseraPassport

/// BER-TLV with nested objects.
enum TLVHarness: Harness {
  static let name = "tlv"

  static func seeds() throws -> [String: [UInt8]] {
    let groups = try SpecimenDocument.everyGroup()
    return [
      "ef-com": EFCOM(ldsVersion: "0108", unicodeVersion: "040000", dataGroups: [1, 2, 11]).encoded,
      "dg16": groups[16] ?? [], "dg11": Array((groups[11] ?? []).prefix(200)),
      "filler": [0x00, 0xFF] + BERTLV.encode(0x5F1F, [1, 2, 3]) + [0x00],
      "long": BERTLV.encode(0x7F4E, [UInt8](repeating: 0x30, count: 300)),
    ]
  }

  static func test(_ input: [UInt8]) throws {
    _ = try? BERTLV.header(of: input[...])
    for tag in [0x30, 0x7C, 0x5F1F, 0x7F61] as [UInt32] { _ = try? BERTLV.value(of: tag, in: input[...]) }
    walk(input[...], depth: 0)
    _ = try BERTLV.sequence(input[...])
  }

  private static func walk(_ bytes: ArraySlice<UInt8>, depth: Int) {
    guard depth < 64, let objects = try? BERTLV.sequence(bytes) else { return }
    for object in objects {
      let encoded = BERTLV.encode(object.tag, object.value)
      var rest = encoded[...]
      let again = try? BERTLV.take(from: &rest)
      property(again?.tag == object.tag && again?.value == object.value, "tag \(object.tag) is written as it is read")
      property(rest.isEmpty, "nothing follows")
      walk(object.value, depth: depth + 1)
    }
  }
}
