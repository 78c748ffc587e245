internal import TesseraPictures

/// A line of a zone as the network reads it: straight, one character every 20 columns, 18 rows from the top of a capital
/// letter to its bottom, and the line's centre between the rows 11 and 12. Values are the darkness relative to the
/// surroundings: 0 is their mean, 1 one standard deviation darker.
struct LineStrip {
  static let rows = 24
  /// The distance of two characters, in columns.
  static let pitch = 20
  /// The height of capital letters, in rows.
  static let capitals: Float = 18
  /// The columns at both sides of a column that are its surroundings.
  private static let surroundings = 40

  /// A column of the strip in the picture.
  struct Column {
    /// The centre of the line.
    var center: Point
    /// The distance from one row to the next, in pixels.
    var down: Point
  }

  let columns: Int
  /// Row by row.
  let values: WipedMemory<Float>
  /// The standard deviation of the luminance in a window as wide as a character, around each column.
  private let contrasts: [Float]

  /// - Parameter columns: at least one.
  init(_ picture: GrayPicture, _ columns: [Column]) {
    self.columns = columns.count
    let raw = WipedMemory<Float>(repeating: 0, count: columns.count * Self.rows) { raw in
      picture.withPixels { pixels in
        guard let start = pixels.baseAddress else { return }
        let sampler = Sampler(pixels: start, width: picture.width, height: picture.height)
        for (index, column) in columns.enumerated() {
          let next = columns[min(index + 1, columns.count - 1)].center
          let last = columns[max(index - 1, 0)].center
          let right = (next - last) / (index == 0 || index == columns.count - 1 ? 1 : 2)
          sampler.fill(raw, index, columns.count, column, right)
        }
      }
    }
    (values, contrasts) = Self.normalized(raw, columns.count)
  }

  /// A strip of known luminance, row by row, for tests.
  init(luminance: [Float], columns: Int) {
    self.columns = columns
    let raw = WipedMemory<Float>(repeating: 0, count: luminance.count) { _ = $0.update(fromContentsOf: luminance) }
    (values, contrasts) = Self.normalized(raw, columns)
  }

  /// A strip of known values, row by row, for tests.
  init(values: [Float], columns: Int) {
    self.columns = columns
    self.values = WipedMemory(repeating: 0, count: values.count) { _ = $0.update(fromContentsOf: values) }
    contrasts = []
  }

  private init(columns: Int, values: WipedMemory<Float>, contrasts: [Float]) {
    (self.columns, self.values, self.contrasts) = (columns, values, contrasts)
  }

  /// The strip turned by 180 degrees.
  var turned: LineStrip {
    let count = values.count
    let turned = WipedMemory<Float>(repeating: 0, count: count) { turned in
      values.withElements { values in for index in 0..<count { turned[index] = values[count - 1 - index] } }
    }
    return LineStrip(columns: columns, values: turned, contrasts: contrasts.reversed())
  }

  /// How much ink and paper differ at a column; 0 outside of the strip.
  func contrast(at column: Int) -> Float { contrasts.indices.contains(column) ? contrasts[column] : 0 }

  private static func normalized(
    _ raw: WipedMemory<Float>, _ columns: Int
  ) -> (values: WipedMemory<Float>, contrasts: [Float]) {
    var sums = [Float](repeating: 0, count: columns + 1)
    var squares = sums
    raw.withElements { raw in
      for row in 0..<rows {
        for column in 0..<columns {
          // Around the middle, so that single precision is enough.
          let value = raw[row * columns + column] - 128
          sums[column + 1] += value
          squares[column + 1] += value * value
        }
      }
    }
    for column in 0..<columns {
      sums[column + 1] += sums[column]
      squares[column + 1] += squares[column]
    }
    func statistics(_ column: Int, _ radius: Int) -> (mean: Float, deviation: Float) {
      let from = max(0, column - radius)
      let to = min(columns, column + radius + 1)
      let count = Float((to - from) * rows)
      let mean = (sums[to] - sums[from]) / count
      return (mean, max((squares[to] - squares[from]) / count - mean * mean, 0).squareRoot())
    }
    let around = (0..<columns).map { statistics($0, surroundings) }
    let means = around.map { $0.mean + 128 }
    let scales = around.map { 1 / max($0.deviation, 2) }
    let values = WipedMemory<Float>(repeating: 0, count: raw.count) { values in
      raw.withElements { raw in
        for row in 0..<rows {
          for column in 0..<columns {
            let value = (means[column] - raw[row * columns + column]) * scales[column]
            let least = value < -4 ? -4 : value
            values[row * columns + column] = least > 4 ? 4 : least
          }
        }
      }
    }
    return (values, (0..<columns).map { statistics($0, pitch / 2).deviation })
  }
}

/// Luminance between pixels.
private struct Sampler {
  /// Row by row.
  let pixels: UnsafePointer<UInt8>
  let width: Int
  let height: Int

  /// Fills one column of the strip. Where the strip is coarser than the picture, a value is the mean of several places.
  func fill(
    _ raw: UnsafeMutableBufferPointer<Float>, _ index: Int, _ columns: Int, _ column: LineStrip.Column, _ right: Point
  ) {
    let across = samples(right.length)
    let along = samples(column.down.length)
    if across == 1, along == 1 {
      for row in 0..<LineStrip.rows {
        let down = Float(row) + 0.5 - Float(LineStrip.rows) / 2
        raw[row * columns + index] = luminance(
          column.center.x + column.down.x * down, column.center.y + column.down.y * down)
      }
      return
    }
    let share = 1 / Float(across * along)
    for row in 0..<LineStrip.rows {
      var sum: Float = 0
      for i in 0..<along {
        let down = Float(row) + (Float(i) + 0.5) / Float(along) - Float(LineStrip.rows) / 2
        for j in 0..<across {
          let offset = (Float(j) + 0.5) / Float(across) - 0.5
          let point = column.center + column.down * down + right * offset
          sum += luminance(point.x, point.y)
        }
      }
      raw[row * columns + index] = sum * share
    }
  }

  private func samples(_ step: Float) -> Int { step.isFinite ? max(1, Int(min(step, 4) + 0.35)) : 1 }

  /// The luminance at a point, by the four pixels around it. The edge continues outside of the picture.
  @inline(__always)
  private func luminance(_ x: Float, _ y: Float) -> Float {
    // The comparison also replaces a coordinate that is not a number.
    let x = x > 0 ? min(x, Float(width - 1)) : 0
    let y = y > 0 ? min(y, Float(height - 1)) : 0
    // Both are less than the side of a picture.
    let left = Int(x)
    let top = Int(y)
    let (u, v) = (x - Float(left), y - Float(top))
    let upper = pixels + (top &* width &+ left)
    let lower = top &+ 1 < height ? upper + width : upper
    let right = left &+ 1 < width ? 1 : 0
    let above = Float(upper[0]) * (1 - u) + Float(upper[right]) * u
    let below = Float(lower[0]) * (1 - u) + Float(lower[right]) * u
    return above * (1 - v) + below * v
  }
}
