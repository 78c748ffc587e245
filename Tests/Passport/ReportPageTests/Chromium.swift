import CTesseraPNG
import Foundation
import TestSupport
import Testing

/// Chromium without a window, which draws and prints a page.
struct Chromium {
  private static let program = URL(fileURLWithPath: "/usr/bin/chromium")
  /// In continuous integration a missing browser is a failure, elsewhere the tests are skipped.
  static let isEnabled =
    FileManager.default.isExecutableFile(atPath: program.path)
    || ProcessInfo.processInfo.environment["CI"] == "true"

  enum Scheme {
    case light
    case dark
  }

  private let folder: TemporaryFolder

  init(page: String) throws {
    folder = try TemporaryFolder()
    try page.write(toFile: folder.file("page.html"), atomically: false, encoding: .utf8)
  }

  func screenshot(_ scheme: Scheme, width: Int = 1024, height: Int = 1800) async throws -> Screenshot {
    // On a machine under load, the browser sometimes takes the picture before it has drawn the whole page. The page does
    // not move, so two equal pictures are complete.
    var last: [UInt8] = []
    for _ in 0..<6 {
      try await run(
        ["--window-size=\(width),\(height)", "--hide-scrollbars", "--screenshot=\(folder.file("page.png"))"]
          + (scheme == .dark ? ["--force-dark-mode"] : []))
      let picture = folder.bytes("page.png")
      if picture == last { break }
      last = picture
    }
    return try Screenshot(png: last)
  }

  /// The number of pages of the print. The page objects of Chromium's PDF are not compressed.
  func printedPages() async throws -> Int {
    try await run(["--no-pdf-header-footer", "--print-to-pdf=\(folder.file("page.pdf"))"])
    let text = String(decoding: folder.bytes("page.pdf"), as: UTF8.self)
    try #require(text.hasPrefix("%PDF-"))
    return text.matches(of: /\/Type\s*\/Page\b/).count
  }

  /// Runs the browser until it ends by itself.
  private func run(_ arguments: [String]) async throws {
    let browser = try RunningProgram(
      Self.program,
      [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--user-data-dir=\(folder.file("profile"))",
      ] + arguments + ["file://" + folder.file("page.html")],
      environment: ["HOME": folder.url.path])
    let run = await browser.finish(within: 120)
    try #require(run.status == 0, "\(run.errors.suffix(500))")
  }
}

/// The pixels of a page.
struct Screenshot {
  typealias Colour = (red: Int, green: Int, blue: Int)

  let width: Int
  let height: Int
  /// Three bytes a pixel, row by row.
  private let pixels: [UInt8]

  init(png file: [UInt8]) throws {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    try #require(png_image_begin_read_from_memory(&image, file, file.count) != 0)
    image.format = UInt32(PNG_FORMAT_FLAG_COLOR)
    width = Int(image.width)
    height = Int(image.height)
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    try #require(png_image_finish_read(&image, nil, &pixels, 0, nil) != 0)
    self.pixels = pixels
  }

  subscript(x: Int, y: Int) -> Colour {
    let index = (y * width + x) * 3
    return (Int(pixels[index]), Int(pixels[index + 1]), Int(pixels[index + 2]))
  }

  /// Whether the picture has more colours than this. Counting those of all its millions of pixels takes seconds.
  func hasMoreColours(than number: Int) -> Bool {
    var (colours, last): (Set<Int>, Int) = ([], -1)
    var index = 0
    while index < pixels.count {
      let colour = Int(pixels[index]) << 16 | Int(pixels[index + 1]) << 8 | Int(pixels[index + 2])
      index += 3
      guard colour != last else { continue }
      last = colour
      if colours.insert(colour).inserted, colours.count > number { return true }
    }
    return false
  }

  /// The colours of an area and how often each occurs, the most frequent first.
  func colours(_ columns: Range<Int>, _ rows: Range<Int>) -> [(colour: Colour, count: Int)] {
    var counts: [Int: Int] = [:]
    for y in rows {
      for x in columns {
        let colour = self[x, y]
        counts[colour.red << 16 | colour.green << 8 | colour.blue, default: 0] += 1
      }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
      (($0.key >> 16, $0.key >> 8 & 0xFF, $0.key & 0xFF), $0.value)
    }
  }
}

/// The contrast of two colours (WCAG 2.2, relative luminance and contrast ratio).
enum Contrast {
  static func ratio(_ first: Screenshot.Colour, _ second: Screenshot.Colour) -> Double {
    let (light, dark) = (max(luminance(first), luminance(second)), min(luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)
  }

  static func luminance(_ colour: Screenshot.Colour) -> Double {
    func linear(_ value: Int) -> Double {
      let share = Double(value) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue)
  }
}
