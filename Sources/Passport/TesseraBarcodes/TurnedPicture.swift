import Glibc
import TesseraPictures

/// A picture that is turned about its centre, on a white ground that is as large as needed.
struct TurnedPicture {
  let picture: GrayPicture
  private let cosine: Double
  private let sine: Double
  /// The centres of the original and of this picture.
  private let centre: (x: Double, y: Double)
  private let turnedCentre: (x: Double, y: Double)

  /// Fixed-point numbers of the loop have 16 bits after the point.
  private static let one = 65_536

  /// - Parameter degrees: counterclockwise, 0 to 90.
  /// - Returns: nil if the turned picture is longer than `GrayPicture.longestSide`.
  init?(_ original: GrayPicture, degrees: Int) {
    let angle = Double(degrees) * .pi / 180
    let (cosine, sine) = (cos(angle), sin(angle))
    let (width, height) = (Double(original.width), Double(original.height))
    let size = (width: Int(width * cosine + height * sine) + 1, height: Int(width * sine + height * cosine) + 1)
    let centre = (x: width / 2, y: height / 2)
    let turnedCentre = (x: Double(size.width) / 2, y: Double(size.height) / 2)
    self.cosine = cosine
    self.sine = sine
    self.centre = centre
    self.turnedCentre = turnedCentre
    let picture = try? GrayPicture(width: size.width, height: size.height) { target in
      original.withPixels { Self.turn($0, original.width, original.height, target, size.width, cosine, sine) }
    }
    guard let picture else { return nil }
    self.picture = picture
  }

  /// The place in the original of a place in this picture.
  func original(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
    let (dx, dy) = (Double(x) - turnedCentre.x, Double(y) - turnedCentre.y)
    return (Int((dx * cosine - dy * sine + centre.x).rounded()), Int((dx * sine + dy * cosine + centre.y).rounded()))
  }

  private static func turn(
    _ source: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int, _ target: UnsafeMutableBufferPointer<UInt8>,
    _ turnedWidth: Int, _ cosine: Double, _ sine: Double
  ) {
    let turnedHeight = target.count / turnedWidth
    let (stepX, stepY) = (Int(cosine * Double(one)), Int(sine * Double(one)))
    for row in 0..<turnedHeight {
      // The place in the original of the first pixel of the row.
      let (dx, dy) = (-Double(turnedWidth) / 2, Double(row) - Double(turnedHeight) / 2)
      var x = Int((dx * cosine - dy * sine + Double(width) / 2) * Double(one))
      var y = Int((dx * sine + dy * cosine + Double(height) / 2) * Double(one))
      for column in 0..<turnedWidth {
        target[row * turnedWidth + column] = pixel(source, width, height, x, y)
        x += stepX
        y += stepY
      }
    }
  }

  /// The mean of the four pixels around a place, by their distances; white outside.
  private static func pixel(
    _ source: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int, _ x: Int, _ y: Int
  ) -> UInt8 {
    let (column, row) = (x >> 16, y >> 16)
    guard column >= 0, row >= 0, column < width - 1, row < height - 1 else { return 255 }
    let (right, down) = ((x & 0xFFFF) >> 8, (y & 0xFFFF) >> 8)
    let first = row * width + column
    let upper = Int(source[first]) * (256 - right) + Int(source[first + 1]) * right
    let lower = Int(source[first + width]) * (256 - right) + Int(source[first + width + 1]) * right
    return UInt8((upper * (256 - down) + lower * down) >> 16)
  }
}
