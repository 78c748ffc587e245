import CTesseraTurboJPEG
import TesseraPassport

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
