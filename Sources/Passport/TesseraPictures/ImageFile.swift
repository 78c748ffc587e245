import TesseraPassport

/// An image file whose kind and size were checked. One decoder for portraits and for pages in front of a camera, so that
/// the same files are read in the same way.
struct ImageFile {
  let format: ImageFormat
  /// Upright.
  let size: ImageSize
  private let data: [UInt8]
  private let orientation: ImageOrientation
  /// As the pixels are stored.
  private let storedSize: ImageSize
  private let jpeg: JPEGFile?

  /// - Parameter mostPixels: JPEG 2000 may have `Picture.maximumPixels` at most.
  /// - Throws: `PictureError`.
  init(_ data: [UInt8], mostPixels: Int) throws(PictureError) {
    do throws(ImageHeader.Problem) {
      let header = try ImageHeader(data)
      format = header.format
      storedSize = header.size
      jpeg = header.format == .jpeg ? try JPEGFile(data[...]) : nil
    } catch {
      if case .unsupported(let kind) = error { throw .unsupported(kind) }
      throw .unreadable(error)
    }
    self.data = data
    if format == .wsq { throw .unsupported(format.rawValue) }
    if let kind = jpeg?.frame.unsupportedKind { throw .unsupported(kind) }
    let limit = format == .jpeg2000 ? min(mostPixels, Picture.maximumPixels) : mostPixels
    guard storedSize.width <= Picture.longestSide, storedSize.height <= Picture.longestSide,
      storedSize.width * storedSize.height <= limit
    else { throw .tooLarge(storedSize) }
    orientation = format == .png ? ImageOrientation(png: data) : ImageOrientation(exif: jpeg?.exif)
    size = orientation.upright(storedSize)
  }

  /// - Parameter target: `layout.bytes` a pixel of `size`, all zero.
  /// - Returns: whether the data were damaged or truncated, so that some pixels are estimated.
  /// - Throws: `PictureError`.
  func decode(
    _ layout: PixelLayout, into target: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) -> Bool {
    guard target.count == size.width * size.height * layout.bytes else { throw .undecodable(format) }
    guard orientation != .upright else { return try decodeStored(layout, into: target) }
    var isDamaged = false
    let stored = try WipedMemory<UInt8>(repeating: 0, count: target.count) { pixels throws(PictureError) in
      isDamaged = try decodeStored(layout, into: pixels)
    }
    stored.withElements { orientation.turn($0, storedSize, layout, into: target) }
    return isDamaged
  }

  private func decodeStored(
    _ layout: PixelLayout, into target: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) -> Bool {
    switch format {
    case .jpeg: return try JPEGDecoder.decode(data, storedSize, layout, into: target)
    case .jpeg2000: return try JPEG2000Decoder.decode(data, layout, into: target)
    case .png:
      try PNGDecoder.decode(data, storedSize, layout, into: target)
      return false
    case .wsq, .unknown: throw .undecodable(format)
    }
  }
}

/// The bytes of one decoded pixel.
enum PixelLayout {
  case luminance
  case rgb

  var bytes: Int { self == .rgb ? 3 : 1 }

  /// Writes one pixel.
  ///
  /// - Parameters:
  ///   - colour: red, green and blue, 0 to 255.
  ///   - index: the number of the pixel.
  func write(_ colour: (Int, Int, Int), _ index: Int, to pixels: UnsafeMutableBufferPointer<UInt8>) {
    switch self {
    // ITU-R BT.601.
    case .luminance: pixels[index] = UInt8(clamping: (colour.0 * 77 + colour.1 * 150 + colour.2 * 29) >> 8)
    case .rgb:
      pixels[index * 3] = UInt8(clamping: colour.0)
      pixels[index * 3 + 1] = UInt8(clamping: colour.1)
      pixels[index * 3 + 2] = UInt8(clamping: colour.2)
    }
  }
}
