import CTesseraTurboJPEG
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

/// Decodes JPEG with libjpeg-turbo.
enum JPEGDecoder {
  /// - Parameters:
  ///   - size: the size in the frame header, already checked; libjpeg-turbo must report the same.
  ///   - pixels: `layout.bytes` a pixel of `size`.
  /// - Returns: whether the data are damaged.
  /// - Throws: `PictureError`.
  static func decode(
    _ data: [UInt8], _ size: ImageSize, _ layout: PixelLayout, into pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) -> Bool {
    guard let decoder = tjInitDecompress() else { throw .undecodable(.jpeg) }
    defer { tjDestroy(decoder) }
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = 0
    var colourSpace: Int32 = -1
    // It refuses sampling factors that have no name here, but only after it has stored the size, and tjDecompress2 decodes
    // them. Without a header, the size is not stored.
    _ = tjDecompressHeader3(decoder, data, UInt(data.count), &width, &height, &subsampling, &colourSpace)
    guard Int(width) == size.width, Int(height) == size.height else { throw .undecodable(.jpeg) }
    guard colourSpace == Int32(TJCS_CMYK.rawValue) || colourSpace == Int32(TJCS_YCCK.rawValue) else {
      let format = layout == .rgb ? TJPF_RGB : TJPF_GRAY
      return try decode(decoder, data, size, format, layout.bytes, into: pixels)
    }
    var isDamaged = false
    let inks = try WipedMemory<UInt8>(repeating: 0, count: size.width * size.height * 4) {
      inks throws(PictureError) in
      isDamaged = try decode(decoder, data, size, TJPF_CMYK, 4, into: inks)
    }
    inks.withElements { inks in
      for index in 0..<size.width * size.height {
        // Adobe stores the inks inverted: 255 is none. All programs read others in the same way.
        let black = Int(inks[index * 4 + 3])
        func light(_ ink: Int) -> Int { (Int(inks[index * 4 + ink]) * black + 127) / 255 }
        layout.write((light(0), light(1), light(2)), index, to: pixels)
      }
    }
    return isDamaged
  }

  private static func decode(
    _ decoder: tjhandle, _ data: [UInt8], _ size: ImageSize, _ format: TJPF, _ bytes: Int,
    into pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) -> Bool {
    // libjpeg-turbo never writes more rows or longer ones than these; it would scale a larger image down.
    // A small progressive image may have thousands of scans over all its pixels.
    let status = tjDecompress2(
      decoder, data, UInt(data.count), pixels.baseAddress, Int32(size.width), Int32(size.width * bytes),
      Int32(size.height), Int32(format.rawValue), Int32(TJFLAG_LIMITSCANS))
    // After a warning there is a picture; after an error there is none.
    guard status == 0 || tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) else { throw .undecodable(.jpeg) }
    return status != 0
  }
}
