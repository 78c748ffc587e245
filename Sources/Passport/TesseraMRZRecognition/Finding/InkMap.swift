internal import TesseraPictures

/// The pixels that are clearly darker than their surroundings. Light and shadow vary over a document; ink is darker
/// than the paper next to it everywhere.
struct InkMap {
  /// How much darker ink is than its surroundings.
  enum Threshold {
    /// By an eighth: pale characters are ink, and so is much of what is printed behind them.
    case pale
    /// By a standard deviation of the surroundings: characters are ink, but neither dark print behind them nor the blurred
    /// edges by which they touch.
    case dark
  }

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
  /// The same by the standard deviation, where there is hardly any.
  private static let leastDeviation: Float = 5
  /// For each luminance, the least mean of the surroundings, rounded down, with which the pixel is ink.
  private static let leastMeans: [Int32] = (0..<256).map { luminance in
    max(luminance + 1 + difference, (256 * (luminance + 1) + share - 1) / share)
  }

  init(_ picture: GrayPicture, _ threshold: Threshold = .pale) {
    width = picture.width
    height = picture.height
    let (width, height) = (width, height)
    pixels = WipedMemory(repeating: 0, count: width * height) { ink in
      picture.withPixels { pixels in
        switch threshold {
        case .pale: Self.fill(ink, from: pixels, width, height)
        case .dark: Self.fillDark(ink, from: pixels, width, height)
        }
      }
    }
  }

  private static func fill(
    _ ink: UnsafeMutableBufferPointer<UInt8>, from pixels: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int
  ) {
    // The sums of each column over the rows of the window, and of these the sum over its columns: both slide.
    var columns = [Int32](repeating: 0, count: width)
    columns.withUnsafeMutableBufferPointer { columns in
      leastMeans.withUnsafeBufferPointer { leastMeans in
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
            ink[start + x] = sum >= leastMeans[Int(pixels[start + x])] &* count ? 1 : 0
          }
        }
      }
    }
  }

  private static func fillDark(
    _ ink: UnsafeMutableBufferPointer<UInt8>, from pixels: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int
  ) {
    // As above, of the values and of their squares.
    var columns = [Int32](repeating: 0, count: 2 * width)
    columns.withUnsafeMutableBufferPointer { columns in
      func add(row: Int, _ sign: Int32) {
        let start = row * width
        for x in 0..<width {
          let value = Int32(pixels[start + x])
          columns[x] &+= sign &* value
          columns[width + x] &+= sign &* value &* value
        }
      }
      for row in 0..<min(radius, height) { add(row: row, 1) }
      for y in 0..<height {
        if y + radius < height { add(row: y + radius, 1) }
        if y - radius - 1 >= 0 { add(row: y - radius - 1, -1) }
        let rows = min(height - 1, y + radius) - max(0, y - radius) + 1
        var (sum, square): (Int32, Int32) = (0, 0)
        for x in 0..<min(radius, width) {
          sum &+= columns[x]
          square &+= columns[width + x]
        }
        let start = y * width
        for x in 0..<width {
          if x + radius < width {
            sum &+= columns[x + radius]
            square &+= columns[width + x + radius]
          }
          if x - radius - 1 >= 0 {
            sum &-= columns[x - radius - 1]
            square &-= columns[width + x - radius - 1]
          }
          let share = 1 / Float(rows * (min(width - 1, x + radius) - max(0, x - radius) + 1))
          let mean = Float(sum) * share
          let deviation = max(Float(square) * share - mean * mean, 0).squareRoot()
          ink[start + x] = Float(pixels[start + x]) < mean - max(deviation, leastDeviation) ? 1 : 0
        }
      }
    }
  }
}
