import TesseraMRZRecognition
import TesseraPictures

/// Pictures in which a machine readable zone is sought: two bytes of width, then one bit a pixel, ink or paper, so that a
/// short input can have lines of text.
enum ZonesHarness: Harness {
  static let name = "zones"

  static func seeds() throws -> [String: [UInt8]] {
    // Two lines of 44 blobs at equal distances.
    let width = 400
    var bits = [Bool](repeating: false, count: width * 64)
    for line in 0..<2 {
      for character in 0..<44 {
        for y in 0..<8 {
          for x in 0..<5 where (x * 7 + y * 3 + character) % 4 != 0 {
            bits[(14 + line * 22 + y) * width + 20 + character * 8 + x] = true
          }
        }
      }
    }
    return ["two-lines": packed(bits, width: width), "empty": packed(Array(repeating: false, count: 64), width: 8)]
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    let width = 1 + (parts.byte() << 8 | parts.byte()) % 1024
    let bytes = parts.all()
    let height = max(1, bytes.count * 8 / width)
    let picture = try GrayPicture(width: width, height: height) { pixels in
      for index in pixels.indices {
        let byte = index / 8 < bytes.count ? bytes[index / 8] : 0
        pixels[index] = byte >> (index % 8) & 1 == 1 ? 40 : 210
      }
    }
    let reading = MRZReader().read(picture)
    property(reading.outlines.allSatisfy { $0.count == 4 }, "four corners a line")
    property(reading.outlines.joined().allSatisfy { $0.x.isFinite && $0.y.isFinite }, "corners are finite")
    if let zone = reading.zone {
      property(zone.zone == nil || zone.zone?.firstWrongCheckDigit == nil, "check digits are right")
    }
    var vote = ZoneVote()
    for _ in 0..<2 { _ = vote.add(reading) }
  }

  private static func packed(_ bits: [Bool], width: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: bits.count / 8)
    for (index, bit) in bits.enumerated() where bit { bytes[index / 8] |= 1 << UInt8(index % 8) }
    return [UInt8(truncatingIfNeeded: (width - 1) >> 8), UInt8(truncatingIfNeeded: width - 1)] + bytes
  }
}
