import CameraTestSupport
import Foundation
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraCamera

extension RealPrograms {
  /// The luminance of frames in every format, and damaged frames.
  @Suite("Frame decoder")
  struct FrameDecoderTests {
    /// A small picture with a value for each pixel.
    private static func pixel(_ column: Int, _ row: Int) -> UInt8 {
      UInt8(truncatingIfNeeded: column &* 31 &+ row &* 17 &+ 5)
    }

    private static func decode(
      _ format: PixelFormat, _ width: Int, _ height: Int, _ bytesPerLine: Int, _ bytes: [UInt8]
    ) throws(FrameError) -> GrayPicture {
      let format = FrameFormat(pixelFormat: format, width: width, height: height, bytesPerLine: bytesPerLine)
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(FrameError) in try FrameDecoder.picture(format, bytes) }
      }
      return try result.get()
    }

    /// A frame with the values of `pixel`; every other byte is 0xEE.
    private static func frame(
      _ luminance: PixelFormat.Luminance, _ width: Int, _ height: Int, stride: Int, after: Int
    ) -> [UInt8] {
      var bytes = [UInt8](repeating: 0xEE, count: stride * height + after)
      for row in 0..<height {
        for column in 0..<width {
          let place =
            switch luminance {
            case .packed(let offset): row * stride + column * 2 + offset
            case .plane, .jpeg: row * stride + column
            }
          bytes[place] = pixel(column, row)
        }
      }
      return bytes
    }

    @Test(
      "takes exactly the luminance, for even and odd sizes and every stride",
      arguments: PixelFormat.readable.map(\.format).filter { $0.luminance != .jpeg })
    func luminance(format: PixelFormat) throws {
      let luminance = try #require(format.luminance)
      let bytesPerPixel = luminance == .plane ? 1 : 2
      for (width, height) in [(1, 1), (2, 2), (3, 5), (8, 4), (13, 7), (640, 3)] {
        let row = width * bytesPerPixel
        // 0: the driver does not state it. The others: no padding, odd padding, an alignment.
        for stride in [0, row, row + 1, row + 37, (row + 63) / 64 * 64] {
          let frame = Self.frame(luminance, width, height, stride: stride == 0 ? row : stride, after: row * height)
          let picture = try Self.decode(format, width, height, stride, frame)
          #expect(picture.width == width && picture.height == height)
          let expected = (0..<height).flatMap { row in (0..<width).map { Self.pixel($0, row) } }
          #expect(picture.withPixels(Array.init) == expected, "\(width)x\(height), stride \(stride)")
        }
      }
    }

    @Test(
      "needs every byte of the luminance up to the last row, and no padding after that",
      arguments: PixelFormat.readable.map(\.format).filter { $0.luminance != .jpeg })
    func shortFrame(format: PixelFormat) throws {
      let luminance = try #require(format.luminance)
      let row = luminance == .plane ? 10 : 20
      let stride = row + 6
      let needed = stride * 3 + row
      let frame = Self.frame(luminance, 10, 4, stride: stride, after: 0)
      #expect(throws: Never.self) { _ = try Self.decode(format, 10, 4, stride, Array(frame.prefix(needed))) }
      for count in [0, 1, row, needed - 1] {
        #expect(throws: FrameError.truncated) {
          _ = try Self.decode(format, 10, 4, stride, Array(frame.prefix(count)))
        }
      }
    }

    @Test(
      "refuses strides below a row and products that overflow",
      arguments: PixelFormat.readable.map(\.format).filter { $0.luminance != .jpeg })
    func strides(format: PixelFormat) throws {
      let row = format.luminance == .plane ? 10 : 20
      let frame = [UInt8](repeating: 1, count: 1000)
      for stride in [1, row - 1, -1, Int.min] {
        #expect(throws: FrameError.impossibleStride) { _ = try Self.decode(format, 10, 4, stride, frame) }
      }
      for stride in [Int.max, Int.max / 3, Int(UInt32.max), 1000] {
        #expect(throws: FrameError.truncated) { _ = try Self.decode(format, 10, 4, stride, frame) }
      }
    }

    @Test("refuses impossible sizes", arguments: PixelFormat.readable.map(\.format))
    func sizes(format: PixelFormat) {
      for (width, height) in [(0, 1), (1, 0), (0, 0), (-1, 4), (8193, 1), (1, 8193), (Int.max, Int.max), (Int.min, 1)] {
        #expect(throws: FrameError.impossibleSize) { _ = try Self.decode(format, width, height, 0, [1, 2, 3, 4]) }
      }
    }

    @Test("refuses formats that it does not read")
    func unknown() {
      for format in [PixelFormat("RGB3"), PixelFormat("H264"), PixelFormat(code: 0), PixelFormat(code: .max)] {
        #expect(throws: FrameError.unsupportedFormat) { _ = try Self.decode(format, 4, 4, 0, [1, 2, 3, 4]) }
      }
    }

    @Test("shows a pixel format by its characters")
    func names() {
      #expect(PixelFormat("YUYV").description == "YUYV" && PixelFormat("YUYV").code == 0x5659_5559)
      #expect(PixelFormat("Y16").description == "Y16")
      #expect(PixelFormat(code: 0x0A59_1B59).description == "Y?Y?")
    }

    // MARK: - JPEG

    /// A smooth picture, which JPEG changes little.
    private static let smooth = (0..<48).flatMap { row in (0..<64).map { column in UInt8(column * 2 + row * 2) } }

    private static func jpeg(quality: Int = 95) throws -> [UInt8] {
      try smooth.withUnsafeBufferPointer { try VirtualCamera.jpeg($0, width: 64, height: 48, quality: quality) }
    }

    private static func isSmooth(_ picture: GrayPicture) -> Bool {
      picture.withPixels { pixels in zip(pixels, smooth).allSatisfy { abs(Int($0) - Int($1)) <= 6 } }
    }

    /// Removes the segments with this marker.
    private static func without(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      var result = Array(bytes.prefix(2))
      var place = 2
      while place + 3 < bytes.count, bytes[place] == 0xFF, bytes[place + 1] != 0xDA {
        let end = place + 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
        if bytes[place + 1] != marker { result += bytes[place..<end] }
        place = end
      }
      return result + bytes[place...]
    }

    @Test(
      "decodes the luminance of MJPEG, with and without Huffman tables and bytes after the end",
      arguments: ["MJPG", "JPEG"])
    func mjpeg(name: String) throws {
      let format = name == "MJPG" ? PixelFormat("MJPG") : PixelFormat("JPEG")
      let frame = try Self.jpeg()
      #expect(Self.isSmooth(try Self.decode(format, 64, 48, 0, frame)))
      // A stride has no meaning here.
      #expect(Self.isSmooth(try Self.decode(format, 64, 48, 12345, frame)))
      // As the cameras of the AVI1 kind deliver it; libjpeg-turbo then uses the tables of the standard.
      let bare = Self.without(0xC4, frame)
      #expect(bare.count < frame.count - 300)
      #expect(Self.isSmooth(try Self.decode(format, 64, 48, 0, bare)))
      #expect(Self.isSmooth(try Self.decode(format, 64, 48, 0, frame + [UInt8](repeating: 0, count: 999))))
      // Bytes before the end marker: a warning of libjpeg-turbo.
      let loose = frame.dropLast(2) + [0x55, 0xAA, 0x55] + frame.suffix(2)
      #expect(Self.isSmooth(try Self.decode(format, 64, 48, 0, Array(loose))))
    }

    @Test("decodes MJPEG with sampling factors that have no name in libjpeg-turbo", arguments: ["3x1", "4x2"])
    func sampling(factors: String) throws {
      // The picture of the fixtures: red 10x, green 15y, blue 6(x + y).
      let frame = Fixtures.file("Passport/PicturesTests", "sampling-\(factors).jpg")
      let picture = try Self.decode(PixelFormat("MJPG"), 24, 16, 0, frame)
      let worst = picture.withPixels { pixels in
        pixels.indices.map { index in
          let (x, y) = (index % 24, index / 24)
          return abs(Int(pixels[index]) - (x * 2990 + y * 8805 + (x + y) * 684) / 1000)
        }.max()
      }
      #expect(worst.map { $0 <= 2 } == true)
    }

    @Test("refuses an MJPEG frame without its end, of another size, without tables, or of other bytes")
    func damagedJPEG() throws {
      let frame = try Self.jpeg()
      for count in [4, 100, frame.count / 2, frame.count - 1] {
        #expect(throws: FrameError.truncated) {
          _ = try Self.decode(PixelFormat("MJPG"), 64, 48, 0, Array(frame.prefix(count)))
        }
      }
      for (width, height) in [(64, 47), (63, 48), (640, 480), (48, 64)] {
        #expect(throws: FrameError.otherSize) { _ = try Self.decode(PixelFormat("MJPG"), width, height, 0, frame) }
      }
      for bytes in [
        [], [0xFF], [0xFF, 0xD8, 0xFF], [0, 0, 0, 0], [0xFF, 0xD8, 0xFF, 0xD9], Self.without(0xDB, frame),
        Self.without(0xC0, frame), Array(frame.dropFirst(2)), [UInt8](repeating: 0xFF, count: 5000),
      ] {
        #expect(throws: FrameError.undecodable) { _ = try Self.decode(PixelFormat("MJPG"), 64, 48, 0, bytes) }
      }
    }

    @Test("mutated frames end in a picture of the agreed size or a typed error")
    func mutated() async throws {
      let frame = try Self.jpeg()
      await Fuzzing.manyTimes(2_000, of: "MJPEG frames") { generator in
        let bytes = Fuzzing.mutated(frame, &generator)
        if let picture = try? Self.decode(PixelFormat("MJPG"), 64, 48, 0, bytes) {
          #expect(picture.width == 64 && picture.height == 48)
        }
      }
    }
  }
}
