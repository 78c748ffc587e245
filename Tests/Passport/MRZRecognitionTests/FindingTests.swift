import Glibc
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraMRZRecognition

@Suite("What lies around a zone does not hide it")
struct FindingTests {
  private let frame: FrameTests.Frame
  private let picture: GrayPicture
  private let outlines: [[Point]]

  /// Where the lines of the frame are, read once for all tests.
  private static let found = Result {
    let frame = try #require(FrameTests.Frame.all.first { $0.file == "td3-1.jpg" })
    let picture = try frame.picture
    return (frame: frame, picture: picture, outlines: MRZReader().read(picture).outlines)
  }

  init() throws { (frame, picture, outlines) = try Self.found.get() }

  /// Patterns that form thousands of chains, some of which go on through the lines.
  enum Pattern: String, CaseIterable {
    case dots, strokes
  }

  @Test(
    "a zone on a table with a regular pattern is found at once",
    arguments: [
      (Pattern.dots, 9, 0.0), (.dots, 12, 0.05), (.dots, 17, 0.785), (.dots, 24, 0), (.strokes, 9, 0.785),
      (.strokes, 14.5, 0), (.strokes, 17, 0), (.strokes, 24, 0.05),
    ] as [(Pattern, Float, Float)])
  func regularPattern(_ pattern: Pattern, pitch: Float, angle: Float) throws {
    var work = MRZReader.Work()
    let scene = try picture.aroundZone(outlines) { Self.luminance(pattern, pitch, angle, $0, $1) }
    #expect(MRZReader().read(scene, &work).zone?.lines == frame.lines)
    #expect(work.chains <= 8 && work.groups <= 4)
    #expect(work.pairs < 20_000)
  }

  @Test("dots that continue the lines at their distance are not taken for characters of them")
  func continued() throws {
    let first = try #require(outlines.first)
    let step = (first[1] - first[0]) / 44.2
    // A dot where each further character of either line would be.
    let scene = try picture.aroundZone(outlines, margin: 0.4) { x, y in
      for outline in outlines {
        let start = (outline[0] + outline[3]) / 2 + step * 0.6
        let offset = Point(x, y) - start
        let along = (offset.x * step.x + offset.y * step.y) / (step.length * step.length)
        let across = (offset.x * step.turned.x + offset.y * step.turned.y) / (step.length * step.length)
        let (du, dv) = (along - along.rounded(), across)
        if du * du + dv * dv < 0.09 + 0.03 * sin(along.rounded() * 12.9898) { return 50 }
      }
      return 190
    }
    #expect(MRZReader().read(scene).zone?.lines == frame.lines)
  }

  @Test("stripes printed behind the zone, dark enough to be ink, leave the characters")
  func darkPrint() throws {
    let scene = try picture.withPixels { pixels in
      try GrayPicture(width: picture.width, height: picture.height) { target in
        for index in target.indices {
          let x = index % picture.width
          target[index] = x % 11 < 5 ? UInt8(Float(pixels[index]) * 0.55) : pixels[index]
        }
      }
    }
    #expect(MRZReader().read(scene).state == .zone)
  }

  @Test("glare that takes the contrast of the last characters does not take them from the zone")
  func glare() throws {
    let (left, right) = (Float(950), Float(1190))
    let scene = try picture.withPixels { pixels in
      try GrayPicture(width: picture.width, height: picture.height) { target in
        for index in target.indices {
          let share = min(max((Float(index % picture.width) - left) / (right - left), 0), 1) * 0.88
          target[index] = UInt8(Float(pixels[index]) + (205 - Float(pixels[index])) * share)
        }
      }
    }
    let reading = MRZReader().read(scene)
    #expect(reading.state == .zone && reading.outlines.count == outlines.count)
    for (found, expected) in zip(reading.outlines.joined(), outlines.joined()) {
      #expect((found - expected).length < 12)
    }
  }

  @Test("a regular pattern alone is no zone, and the steps are bounded", arguments: Pattern.allCases)
  func patternAlone(_ pattern: Pattern) throws {
    for (pitch, angle) in [(8, 0), (11, 0.3), (15, 0.785)] as [(Float, Float)] {
      let scene = try GrayPicture(width: 800, height: 600) { target in
        for index in target.indices {
          target[index] = UInt8(Self.luminance(pattern, pitch, angle, Float(index % 800), Float(index / 800)))
        }
      }
      var work = MRZReader.Work()
      #expect(MRZReader().read(scene, &work).state != .zone)
      #expect(work.chains <= ZoneSearch.mostChains && work.groups < ZoneSearch.mostGroups + 5)
      // A component has some neighbours only, and there are two maps of ink.
      #expect(work.pairs < 2 * (CharacterChain.mostPairs + 200))
    }
  }

  @Test("random dots do not exceed the limit of pairs")
  func noise() throws {
    var generator = SplitMix(seed: 42)
    let scene = try GrayPicture(width: 1600, height: 1200) { target in
      target.update(repeating: 200)
      for _ in 0..<30_000 {
        let x = Int.random(in: 0..<1594, using: &generator)
        let y = Int.random(in: 0..<1194, using: &generator)
        for row in y..<(y + Int.random(in: 3...6, using: &generator)) {
          for column in x..<(x + 5) { target[row * 1600 + column] = 40 }
        }
      }
    }
    var work = MRZReader.Work()
    #expect(MRZReader().read(scene, &work).state != .zone)
    #expect(work.pairs > 10_000 && work.pairs < 2 * (CharacterChain.mostPairs + 200))
    #expect(work.chains <= ZoneSearch.mostChains)
  }

  /// Dark elements on a lighter ground, whose sizes vary slowly over the picture, and a little from one to the next.
  private static func luminance(
    _ pattern: Pattern, _ pitch: Float, _ angle: Float, _ x: Float, _ y: Float
  ) -> Float {
    let u = (cos(angle) * x + sin(angle) * y) / pitch
    let v = (cos(angle) * y - sin(angle) * x) / pitch
    let slow = 0.08 * sin(x / 61) * cos(y / 47)
    switch pattern {
    case .dots:
      let (du, dv) = (u - u.rounded(), v - v.rounded())
      let radius = 0.33 + slow + 0.04 * sin(u.rounded() * 12.9898 + v.rounded() * 78.233)
      return du * du + dv * dv < radius * radius ? 60 : 130
    case .strokes:
      let (du, dv) = (u - u.rounded(), v / 1.4 - (v / 1.4).rounded())
      return abs(du) < 0.2 + slow && abs(dv) < 0.38 ? 60 : 130
    }
  }
}

extension GrayPicture {
  /// This picture where a zone and the paper around it are, and something else elsewhere.
  ///
  /// - Parameters:
  ///   - outlines: those of the zone's lines.
  ///   - margin: the width of the paper around them, by their height.
  ///   - luminance: that of a pixel elsewhere.
  fileprivate func aroundZone(
    _ outlines: [[Point]], margin: Float = 0.67, _ luminance: (_ x: Float, _ y: Float) -> Float
  ) throws -> GrayPicture {
    let first = try #require(outlines.first)
    let last = try #require(outlines.last)
    let corners = [first[0], first[1], last[2], last[3]]
    let width = margin * (first[3] - first[0]).length
    // Most of the picture is far from the zone, which saves the exact answer for its pixels.
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    let columns = ((xs.min() ?? 0) - 2 * width)...((xs.max() ?? 0) + 2 * width)
    let rows = ((ys.min() ?? 0) - 2 * width)...((ys.max() ?? 0) + 2 * width)
    let sides = corners.indices.map { side in
      let along = corners[(side + 1) % 4] - corners[side]
      return (start: corners[side], along: along, length: along.length)
    }
    return try withPixels { pixels in
      try GrayPicture(width: self.width, height: height) { target in
        for index in target.indices {
          let point = Point(Float(index % self.width), Float(index / self.width))
          var isPaper = rows.contains(point.y) && columns.contains(point.x)
          if isPaper {
            for side in sides {
              let offset = point - side.start
              isPaper = isPaper && (side.along.x * offset.y - side.along.y * offset.x) / side.length > -width
            }
          }
          target[index] = isPaper ? pixels[index] : UInt8(min(max(luminance(point.x, point.y), 0), 255))
        }
      }
    }
  }
}
