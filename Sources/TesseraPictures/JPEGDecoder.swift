import CTesseraTurboJPEG
import TesseraPassport

/// Decodes JPEG with libjpeg-turbo.
enum JPEGDecoder {
  /// - Parameter size: the size in the frame header, already checked; libjpeg-turbo must report the same.
  static func decode(_ data: [UInt8], _ size: ImageSize) throws(PictureError) -> Picture {
    guard let decoder = tjInitDecompress() else { throw .undecodable(.jpeg) }
    defer { tjDestroy(decoder) }
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = 0
    var colourSpace: Int32 = 0
    guard tjDecompressHeader3(decoder, data, UInt(data.count), &width, &height, &subsampling, &colourSpace) == 0,
      Int(width) == size.width, Int(height) == size.height
    else { throw .undecodable(.jpeg) }
    guard colourSpace != Int32(TJCS_CMYK.rawValue), colourSpace != Int32(TJCS_YCCK.rawValue) else {
      throw .unsupported("a JPEG in CMYK colours")
    }
    var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
    // A small progressive image may have thousands of scans over all its pixels.
    let flags = TJFLAG_LIMITSCANS
    let status = tjDecompress2(
      decoder, data, UInt(data.count), &pixels, width, 0, height, Int32(TJPF_RGB.rawValue), Int32(flags))
    // After a warning there is a picture; after an error there is none.
    guard status == 0 || tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) else { throw .undecodable(.jpeg) }
    return Picture(size: size, pixels: pixels, isDamaged: status != 0)
  }
}
