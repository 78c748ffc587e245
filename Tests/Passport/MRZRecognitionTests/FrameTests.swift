import TesseraPictures
import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("Zones in camera frames")
struct FrameTests {
  /// Frames that `Tests/Passport/MRZRecognition` draws, with a drawing of OCR-B that the network was not trained with.
  struct Frame: Sendable, CustomTestStringConvertible {
    let file: String
    let format: String
    let lines: [String]
    var testDescription: String { file }

    var picture: GrayPicture {
      get throws { try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", file)) }
    }

    static let all = Fixtures.json("Passport/MRZRecognitionTests", "frames.json").list.map {
      Frame(file: $0["file"].text, format: $0["format"].text, lines: $0["zone"].list.map(\.text))
    }
  }

  @Test("every format is read, straight and turned", arguments: Frame.all)
  func reads(_ frame: Frame) throws {
    let picture = try frame.picture
    let reading = MRZReader().read(picture)
    #expect(reading.state == .zone)
    #expect(reading.zone?.lines == frame.lines && reading.zone?.format == frame.format)
    #expect(reading.outlines.count == frame.lines.count && reading.outlines.allSatisfy { $0.count == 4 })
    for corner in reading.outlines.joined() {
      #expect(corner.x > -60 && corner.y > -60)
      #expect(corner.x < Float(picture.width) + 60 && corner.y < Float(picture.height) + 60)
    }
  }

  @Test("a quarter turn changes nothing", arguments: Frame.all.filter { $0.file.hasSuffix("-1.jpg") })
  func quarterTurn(_ frame: Frame) throws {
    var vote = ZoneVote()
    _ = vote.add(MRZReader().read(try frame.picture.quarterTurned()))
    let candidate = vote.candidate
    #expect(candidate?.lines == frame.lines && candidate?.margin ?? 0 > 3)
  }

  @Test("a picture larger than a frame is read at a smaller size")
  func large() throws {
    let frame = try #require(Frame.all.first { $0.format == "TD3" })
    let reading = MRZReader().read(try frame.picture.doubled().doubled())
    #expect(reading.zone?.lines == frame.lines)
    let outline = try #require(reading.outlines.first)
    let small = try #require(MRZReader().read(try frame.picture).outlines.first)
    for (large, small) in zip(outline, small) {
      #expect(abs(large.x - 4 * small.x) < 24 && abs(large.y - 4 * small.y) < 24)
    }
  }

  @Test("a zone whose end is outside of the picture is not read")
  func cut() throws {
    let frame = try #require(Frame.all.first { $0.file == "td3-1.jpg" })
    let reading = MRZReader().read(try frame.picture.cropped(toWidth: 700))
    #expect(reading.zone == nil && reading.state != .zone)
  }

  @Test("a mirrored zone is not read")
  func mirrored() throws {
    let frame = try #require(Frame.all.first { $0.file == "td3-1.jpg" })
    #expect(MRZReader().read(try frame.picture.mirrored()).zone == nil)
  }

  @Test("a page full of lines is read with a bounded number of steps")
  func manyLines() throws {
    // The lower line of a zone again and again: its check digits never fit the line above it.
    let frame = try #require(Frame.all.first { $0.file == "td3-1.jpg" })
    let line = try #require(MRZReader().read(try frame.picture).outlines.last)
    let top = Int((line.map(\.y).min() ?? 0) - 6)
    let rows = Int((line.map(\.y).max() ?? 0) + 6) - top
    let picture = try frame.picture.repeating(rows: rows, from: top, height: 640)
    var work = MRZReader.Work()
    #expect(MRZReader().read(picture, &work).zone == nil)
    #expect(work.chains > 10 && work.chains <= ZoneSearch.mostChains)
    // The last chain may complete five groups.
    #expect(work.groups > 20 && work.groups < ZoneSearch.mostGroups + 5)
  }

  @Test("ink is what is darker than a share of its surroundings, and by a difference")
  func ink() throws {
    var generator = SplitMix(seed: 7)
    let (width, height) = (83, 47)
    let picture = try GrayPicture(width: width, height: height) { pixels in
      for index in pixels.indices {
        let shade = 255 * (index % width) / width
        pixels[index] = UInt8(clamping: shade - Int.random(in: 0...40, using: &generator))
      }
    }
    let map = InkMap(picture)
    picture.withPixels { pixels in
      for y in 0..<height {
        for x in 0..<width {
          var (sum, count) = (0, 0)
          for row in max(0, y - 14)...min(height - 1, y + 14) {
            for column in max(0, x - 14)...min(width - 1, x + 14) {
              sum += Int(pixels[row * width + column])
              count += 1
            }
          }
          let threshold = min(sum / count * 226 / 256, sum / count - 9)
          let expected: UInt8 = Int(pixels[y * width + x]) < threshold ? 1 : 0
          if map.pixels[y * width + x] != expected { Issue.record("column \(x), row \(y)") }
        }
      }
    }
  }

  @Test("pictures without text have no zone, whatever their size")
  func nothing() throws {
    for (width, height) in [(1, 1), (1, 300), (300, 1), (2, 2), (13, 29), (64, 64), (640, 480)] {
      for fill in 0..<5 {
        var generator = SplitMix(seed: UInt64(width * height + fill))
        let picture = try GrayPicture(width: width, height: height) { pixels in
          for index in pixels.indices {
            let (x, y) = (index % width, index / width)
            pixels[index] =
              switch fill {
              case 0: 0
              case 1: 255
              case 2: UInt8(truncatingIfNeeded: generator.next())
              // Dots at equal distances, and lines of them.
              case 3: x % 12 < 6 && y % 12 < 6 ? 40 : 220
              default: x % 14 < 7 && y / 16 % 2 == 0 ? 40 : 220
              }
          }
        }
        #expect(MRZReader().read(picture).zone == nil)
      }
    }
  }
}

/// Deterministic numbers (Steele, Lea and Flood 2014).
struct SplitMix: RandomNumberGenerator {
  var seed: UInt64

  mutating func next() -> UInt64 {
    seed &+= 0x9E37_79B9_7F4A_7C15
    var z = seed
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension GrayPicture {
  /// A picture of another size, each pixel of which is one of this one.
  fileprivate func mapped(
    width: Int, height: Int, _ source: (_ x: Int, _ y: Int) -> (x: Int, y: Int)
  ) throws -> GrayPicture {
    try GrayPicture(width: width, height: height) { target in
      withPixels { pixels in
        for y in 0..<height {
          for x in 0..<width {
            let from = source(x, y)
            target[y * width + x] = pixels[from.y * self.width + from.x]
          }
        }
      }
    }
  }

  fileprivate func quarterTurned() throws -> GrayPicture {
    try mapped(width: height, height: width) { x, y in (y, self.height - 1 - x) }
  }

  fileprivate func repeating(rows: Int, from top: Int, height: Int) throws -> GrayPicture {
    try mapped(width: width, height: height) { x, y in (x, top + y % rows) }
  }

  fileprivate func mirrored() throws -> GrayPicture {
    try mapped(width: width, height: height) { x, y in (self.width - 1 - x, y) }
  }

  fileprivate func doubled() throws -> GrayPicture {
    try mapped(width: width * 2, height: height * 2) { x, y in (x / 2, y / 2) }
  }

  fileprivate func cropped(toWidth width: Int) throws -> GrayPicture {
    try mapped(width: width, height: height) { x, y in (x, y) }
  }
}
