package import TesseraPictures

/// A camera's frame at a smaller size, in colours: the lines of a zone that were found have green outlines. Its memory is
/// overwritten before it is freed.
package struct OutlinedFrame: Sendable {
  package let width: Int
  package let height: Int
  /// Red, green and blue of each pixel, row by row.
  package let pixels: WipedMemory<UInt8>

  /// - Parameters:
  ///   - lines: four corners of each line, in pixels of the frame.
  ///   - width: the width that fits; the height follows.
  ///   - height: the height that fits.
  package init(_ frame: GrayPicture, _ lines: [[Point]], width: Int, height: Int) {
    let scale = max(Float(frame.width) / Float(max(1, width)), Float(frame.height) / Float(max(1, height)), 1)
    let (width, height) = (max(1, Int(Float(frame.width) / scale)), max(1, Int(Float(frame.height) / scale)))
    self.width = width
    self.height = height
    pixels = WipedMemory(repeating: 0, count: width * height * 3) { pixels in
      frame.withPixels { source in
        for row in 0..<height {
          let rows = Self.range(row, height, frame.height)
          for column in 0..<width {
            let columns = Self.range(column, width, frame.width)
            var sum = 0
            for y in rows { for x in columns { sum += Int(source[y * frame.width + x]) } }
            let mean = UInt8(sum / (rows.count * columns.count))
            for part in 0..<3 { pixels[(row * width + column) * 3 + part] = mean }
          }
        }
      }
      for corners in lines {
        for (index, corner) in corners.enumerated() {
          Self.draw(corner, corners[(index + 1) % corners.count], scale, pixels, width, height)
        }
      }
    }
  }

  private static func range(_ index: Int, _ count: Int, _ pixels: Int) -> Range<Int> {
    let start = index * pixels / count
    return start..<max(start + 1, (index + 1) * pixels / count)
  }

  private static func draw(
    _ from: Point, _ to: Point, _ scale: Float, _ pixels: UnsafeMutableBufferPointer<UInt8>, _ width: Int, _ height: Int
  ) {
    let (dx, dy) = ((to.x - from.x) / scale, (to.y - from.y) / scale)
    let longer = max(abs(dx), abs(dy))
    guard longer.isFinite else { return }
    let steps = max(1, Int(min(longer, 4096)))
    for step in 0...steps {
      let share = Float(step) / Float(steps)
      let (x, y) = (from.x / scale + dx * share, from.y / scale + dy * share)
      guard x >= 0, y >= 0, x < Float(width), y < Float(height) else { continue }
      let index = (Int(y) * width + Int(x)) * 3
      (pixels[index], pixels[index + 1], pixels[index + 2]) = (40, 230, 90)
    }
  }
}
