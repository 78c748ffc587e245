internal import TesseraPictures

/// The pixels that are clearly darker than their surroundings. Light and shadow vary over a document; ink is darker
/// than the paper next to it everywhere.
struct InkMap {
  let width: Int
  let height: Int
  /// 1 for ink, row by row: still a picture of the document.
  let pixels: WipedMemory<UInt8>

  /// Half the side of the square that is a pixel's surroundings: wider than the strokes of the largest characters.
  private static let radius = 14
  /// The share of the surroundings' luminance below which a pixel is ink, in 1/256.
  private static let share: Int32 = 226
  /// How much darker ink is at least, so that the noise of dark regions is not ink.
  private static let difference: Int32 = 9

  init(_ picture: GrayPicture) {
    width = picture.width
    height = picture.height
    let (width, height) = (width, height)
    pixels = WipedMemory(repeating: 0, count: width * height) { ink in
      picture.withPixels { Self.fill(ink, from: $0, width, height) }
    }
  }

  private static func fill(
    _ ink: UnsafeMutableBufferPointer<UInt8>, from pixels: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int
  ) {
    // The sums of each column over the rows of the window, and of these the sum over its columns: both slide.
    var columns = [Int32](repeating: 0, count: width)
    columns.withUnsafeMutableBufferPointer { columns in
      func add(row: Int, _ sign: Int32) {
        let start = row * width
        for x in 0..<width { columns[x] &+= sign &* Int32(pixels[start + x]) }
      }
      for row in 0..<min(radius, height) { add(row: row, 1) }
      for y in 0..<height {
        if y + radius < height { add(row: y + radius, 1) }
        if y - radius - 1 >= 0 { add(row: y - radius - 1, -1) }
        let rows = Int32(min(height - 1, y + radius) - max(0, y - radius) + 1)
        var sum: Int32 = 0
        for x in 0..<min(radius, width) { sum &+= columns[x] }
        let start = y * width
        for x in 0..<width {
          if x + radius < width { sum &+= columns[x + radius] }
          if x - radius - 1 >= 0 { sum &-= columns[x - radius - 1] }
          let count = rows &* Int32(min(width - 1, x + radius) - max(0, x - radius) + 1)
          let mean = sum / count
          let threshold = min((mean &* share) >> 8, mean &- difference)
          ink[start + x] = Int32(pixels[start + x]) < threshold ? 1 : 0
        }
      }
    }
  }
}
