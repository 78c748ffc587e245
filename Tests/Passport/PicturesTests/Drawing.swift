import Foundation
import TestSupport

/// The drawing that all fixtures show: 24 by 16 pixels.
enum Drawing {
  static let width = 24
  static let height = 16

  static func fixture(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Fixtures.tests.appendingPathComponent("Passport/PicturesTests/Fixtures/\(name)")))
  }

  static func colour(_ x: Int, _ y: Int) -> [Int] { [x * 10, y * 15, (x + y) * 6] }

  /// ITU-R BT.601.
  static func luminance(_ colour: [Int]) -> Int { (colour[0] * 299 + colour[1] * 587 + colour[2] * 114) / 1000 }

  /// The largest difference of a channel from what is expected.
  static func worst(_ pixels: [UInt8], width: Int = width, _ expected: (Int, Int) -> [Int]) -> Int {
    let pairs = pixels.indices.map { index in
      abs(Int(pixels[index]) - expected(index / 3 % width, index / 3 / width)[index % 3])
    }
    return pairs.max() ?? .max
  }
}
