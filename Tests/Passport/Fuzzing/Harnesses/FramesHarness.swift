import TesseraCamera
import TesseraPassport
import TesseraPictures
import TesseraVirtualChip

/// Frames of a camera. An input is the number of the format, the width and height in two bytes each, the bytes of a row in
/// four, and the frame.
enum FramesHarness: Harness {
  static let name = "frames"

  static func seeds() throws -> [String: [UInt8]] {
    let signature = try ImageHeader(SpecimenDocument.signature).size
    var seeds = ["mjpeg": try input("MJPG", signature.width, signature.height, 0, SpecimenDocument.signature)]
    let rows = (0..<240).map { UInt8($0) }
    seeds["grey"] = try input("GREY", 12, 20, 0, rows)
    seeds["yuyv"] = try input("YUYV", 7, 11, 20, rows)
    seeds["uyvy"] = try input("UYVY", 10, 12, 20, rows)
    seeds["nv12"] = try input("NV12", 12, 10, 16, rows)
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    let pixelFormat = parts.choice(PixelFormat.readable).format
    let (width, height) = (parts.byte() << 8 | parts.byte(), parts.byte() << 8 | parts.byte())
    let row = (0..<4).reduce(0) { number, _ in number << 8 | parts.byte() }
    let format = FrameFormat(pixelFormat: pixelFormat, width: width, height: height, bytesPerLine: row)
    let picture = try parts.all().withUnsafeBytes { bytes in try FrameDecoder.picture(format, bytes) }
    property(picture.width == width && picture.height == height, "the size of the format")
    property(picture.withPixels { $0.count } == width * height, "a byte for each pixel")
  }

  private static func input(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ row: Int, _ frame: [UInt8]
  ) throws -> [UInt8] {
    let number = PixelFormat.readable.firstIndex { $0.format == format } ?? 0
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return [UInt8(number)] + bytes(width, 2) + bytes(height, 2) + bytes(row, 4) + frame
  }

  private static func input(
    _ format: StaticString, _ width: Int, _ height: Int, _ row: Int, _ frame: [UInt8]
  ) throws -> [UInt8] {
    try input(PixelFormat(format), width, height, row, frame)
  }
}
