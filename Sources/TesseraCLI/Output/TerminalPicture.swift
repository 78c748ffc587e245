import CTurboJPEG
import Foundation

/// A JPEG picture drawn with half blocks: each character cell shows two pixels, one above the other.
struct TerminalPicture {
  /// One string a line, all of the same width.
  let lines: [String]
  /// In character cells.
  let width: Int

  /// nil where the terminal has no colours or the picture cannot be decoded.
  ///
  /// - Parameter height: lines to fill.
  init?(jpeg: [UInt8], height: Int, colour: Terminal.Colour) {
    guard colour != .none, let picture = Self.decode(jpeg), height > 0 else { return nil }
    let rows = height * 2
    let columns = min(max(1, picture.width * rows / picture.height), height * 4)
    func pixel(_ column: Int, _ row: Int) -> (Int, Int, Int) {
      picture.average(
        Self.range(of: column, in: columns, over: picture.width), Self.range(of: row, in: rows, over: picture.height))
    }
    width = columns
    lines = (0..<height).map { line in
      let cells = (0..<columns).map { column in
        let upper = Self.code(pixel(column, line * 2), colour)
        let lower = Self.code(pixel(column, line * 2 + 1), colour)
        return "\u{1B}[38;\(upper);48;\(lower)m\u{2580}"
      }
      return cells.joined() + "\u{1B}[0m"
    }
  }

  /// The pixels under one cell, at least one.
  private static func range(of cell: Int, in cells: Int, over pixels: Int) -> Range<Int> {
    let start = cell * pixels / cells
    return start..<max(start + 1, (cell + 1) * pixels / cells)
  }

  private static func code(_ pixel: (Int, Int, Int), _ colour: Terminal.Colour) -> String {
    if colour == .trueColour { return "2;\(pixel.0);\(pixel.1);\(pixel.2)" }
    // The 6 x 6 x 6 cube of the 256 colour palette.
    func level(_ value: Int) -> Int { value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40 }
    return "5;\(16 + 36 * level(pixel.0) + 6 * level(pixel.1) + level(pixel.2))"
  }

  private struct Pixels {
    let width: Int
    let height: Int
    let bytes: [UInt8]

    func average(_ columns: Range<Int>, _ rows: Range<Int>) -> (Int, Int, Int) {
      var sum = (0, 0, 0)
      var count = 0
      for row in rows where row < height {
        for column in columns where column < width {
          let index = (row * width + column) * 3
          sum.0 += Int(bytes[index])
          sum.1 += Int(bytes[index + 1])
          sum.2 += Int(bytes[index + 2])
          count += 1
        }
      }
      return count == 0 ? sum : (sum.0 / count, sum.1 / count, sum.2 / count)
    }
  }

  private static func decode(_ jpeg: [UInt8]) -> Pixels? {
    guard let decoder = tjInitDecompress() else { return nil }
    defer { tjDestroy(decoder) }
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = 0
    var colourSpace: Int32 = 0
    guard
      tjDecompressHeader3(decoder, jpeg, UInt(jpeg.count), &width, &height, &subsampling, &colourSpace) == 0,
      // A portrait is a few hundred pixels wide; a picture bomb is not.
      (1...4096).contains(width), (1...4096).contains(height)
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
    guard
      tjDecompress2(
        decoder, jpeg, UInt(jpeg.count), &bytes, width, 0, height, Int32(TJPF_RGB.rawValue), Int32(TJFLAG_STOPONWARNING)
      ) == 0
    else { return nil }
    return Pixels(width: Int(width), height: Int(height), bytes: bytes)
  }
}
