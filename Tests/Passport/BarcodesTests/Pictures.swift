import TesseraPictures
import TestSupport

@testable import TesseraBarcodes

/// The pictures of the tests.
enum Pictures {
  /// A file of the fixtures, decoded.
  static func fixture(_ path: String) throws -> GrayPicture {
    try GrayPicture(decoding: Fixtures.file("Passport/BarcodesTests", path))
  }

  /// A picture of one luminance.
  static func plain(_ width: Int, _ height: Int, _ value: UInt8 = 255) throws -> GrayPicture {
    try GrayPicture(width: width, height: height) { $0.update(repeating: value) }
  }

  /// A picture whose pixels a function of the column and the row gives.
  static func drawn(
    _ width: Int, _ height: Int, _ pixel: (_ column: Int, _ row: Int) -> UInt8
  ) throws -> GrayPicture {
    try GrayPicture(width: width, height: height) { pixels in
      for index in pixels.indices { pixels[index] = pixel(index % width, index / width) }
    }
  }

  static func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> GrayPicture {
    var generator = SeededGenerator(seed: seed)
    return try drawn(width, height) { _, _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// A picture with other pixels at some places.
  static func changed(
    _ picture: GrayPicture, _ change: (UnsafeMutableBufferPointer<UInt8>) -> Void
  ) throws -> GrayPicture {
    try GrayPicture(width: picture.width, height: picture.height) { pixels in
      picture.withPixels { _ = pixels.update(from: $0) }
      change(pixels)
    }
  }

  /// A part of a picture, on a white ground where it is outside.
  static func part(_ picture: GrayPicture, _ columns: Range<Int>, _ rows: Range<Int>) throws -> GrayPicture {
    let inside = columns.clamped(to: 0..<picture.width)
    return try GrayPicture(width: columns.count, height: rows.count) { target in
      target.update(repeating: 255)
      picture.withPixels { source in
        for row in rows.clamped(to: 0..<picture.height) {
          let start = (row - rows.lowerBound) * columns.count + inside.lowerBound - columns.lowerBound
          let pixels = source[(row * picture.width + inside.lowerBound)..<(row * picture.width + inside.upperBound)]
          _ = target[start...].update(fromContentsOf: pixels)
        }
      }
    }
  }

  /// A picture turned by right angles, clockwise.
  static func turned(_ picture: GrayPicture, quarters: Int) throws -> GrayPicture {
    guard quarters > 0 else { return picture }
    let (width, height) = (picture.width, picture.height)
    let pixels = picture.withPixels(Array.init)
    let turned = try drawn(height, width) { column, row in pixels[(height - 1 - column) * width + row] }
    return try self.turned(turned, quarters: quarters - 1)
  }

  /// The part of a picture around the only symbol in it.
  static func symbol(_ picture: GrayPicture, margin: Int = 40) throws -> GrayPicture {
    let corners = try BarcodeReader(.frame).read(picture).flatMap(\.corners)
    let (columns, rows) = (corners.map(\.x).sorted(), corners.map(\.y).sorted())
    guard let left = columns.first, let right = columns.last, let top = rows.first, let bottom = rows.last else {
      return picture
    }
    return try part(picture, (left - margin)..<(right + margin), (top - margin)..<(bottom + margin))
  }
}
