/// What a display without a screen shows: the file in which Xvfb keeps it (`-fbdir`), in the format of xwd (X11's
/// `XWDFile.h`, version 7).
package struct ScreenPicture: Sendable {
  package struct Color: Sendable, Hashable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// 0 is black, 255 is white.
    package var lightness: Int { (Int(red) * 299 + Int(green) * 587 + Int(blue) * 114) / 1_000 }
  }

  package let width: Int
  package let height: Int
  private let bytes: [UInt8]
  private let start: Int
  private let rowLength: Int

  /// - Throws: `LabError` if it is another format than the one of Xvfb with 24 bits.
  package init(_ bytes: [UInt8]) throws {
    func number(_ index: Int) -> Int { bytes[(index * 4)..<(index * 4 + 4)].reduce(0) { $0 << 8 | Int($1) } }
    guard bytes.count >= 100, number(1) == 7, number(11) == 32 else {
      throw LabError(description: "the picture of the display is not the one of an X server with 24 bits")
    }
    (width, height, rowLength) = (number(4), number(5), number(12))
    // The table of colours is behind the header.
    start = number(0) + number(19) * 12
    guard bytes.count >= start + rowLength * height, rowLength >= width * 4 else {
      throw LabError(description: "the picture of the display is too short")
    }
    self.bytes = bytes
  }

  package subscript(x: Int, y: Int) -> Color {
    // Blue, green, red, unused.
    let pixel = start + y * rowLength + x * 4
    return Color(bytes[pixel + 2], bytes[pixel + 1], bytes[pixel])
  }

  /// How often each colour is in a part of the display.
  package func colors(x: Range<Int>, y: Range<Int>) -> [Color: Int] {
    var colors: [Color: Int] = [:]
    for row in y.clamped(to: 0..<height) {
      for column in x.clamped(to: 0..<width) { colors[self[column, row], default: 0] += 1 }
    }
    return colors
  }

  /// How often a colour is on the display, or in a part of it.
  package func count(_ color: Color, x: Range<Int> = 0..<Int.max, y: Range<Int> = 0..<Int.max) -> Int {
    let (columns, rows) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
    return bytes.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress else { return 0 }
      var count = 0
      for row in rows {
        // Tests look again and again while they wait. Without optimisation this takes a tenth of the time that ranges and
        // checked subscripts take; `init` has checked the size.
        var pixel = start + row * rowLength + columns.lowerBound * 4
        let end = pixel + columns.count * 4
        while pixel < end {
          if bytes[pixel] == color.blue, bytes[pixel + 1] == color.green, bytes[pixel + 2] == color.red { count += 1 }
          pixel += 4
        }
      }
      return count
    }
  }
}
