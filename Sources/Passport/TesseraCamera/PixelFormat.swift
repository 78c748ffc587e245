/// A pixel format of V4L2, identified by its four-character code (linux/videodev2.h, `V4L2_PIX_FMT_…`).
public struct PixelFormat: Sendable, Hashable {
  /// The four characters, the first one in the lowest byte.
  public let code: UInt32

  public init(code: UInt32) { self.code = code }

  /// - Parameter name: Four ASCII characters: `YUYV`. A shorter name is padded with spaces.
  package init(_ name: StaticString) {
    var code: UInt32 = 0
    name.withUTF8Buffer { bytes in
      for place in 0..<4 {
        code |= UInt32(place < bytes.count ? bytes[place] : UInt8(ascii: " ")) << UInt32(8 * place)
      }
    }
    self.code = code
  }

  /// Where the luminance of a frame is.
  package enum Luminance: Sendable, Equatable {
    /// Each pixel has two bytes; its luminance is the one with this offset. The other one is colour.
    case packed(offset: Int)
    /// One byte for each pixel, before all colour.
    case plane
    /// A JPEG image, of which the Huffman tables may be missing.
    case jpeg
  }

  /// nil for a format that `FrameDecoder` does not read.
  package var luminance: Luminance? { Self.readable.first { $0.format == self }?.luminance }

  /// The formats that `FrameDecoder` reads; the cheapest to decode come first.
  package static let readable: [(format: PixelFormat, luminance: Luminance)] = [
    (PixelFormat("GREY"), .plane), (PixelFormat("NV12"), .plane), (PixelFormat("NV21"), .plane),
    (PixelFormat("YU12"), .plane), (PixelFormat("YV12"), .plane), (PixelFormat("NV16"), .plane),
    (PixelFormat("NV61"), .plane), (PixelFormat("422P"), .plane), (PixelFormat("YUYV"), .packed(offset: 0)),
    (PixelFormat("YVYU"), .packed(offset: 0)), (PixelFormat("UYVY"), .packed(offset: 1)),
    (PixelFormat("VYUY"), .packed(offset: 1)), (PixelFormat("MJPG"), .jpeg), (PixelFormat("JPEG"), .jpeg),
  ]
}

extension PixelFormat: CustomStringConvertible {
  /// The four characters without spaces at the end; a byte that is not printable ASCII is shown as `?`.
  public var description: String {
    let bytes = (0..<4).map { place in UInt8(truncatingIfNeeded: code >> UInt32(8 * place)) }
    let text = String(
      decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    return String(text.reversed().drop { $0 == " " }.reversed())
  }
}
