internal import CTesseraTurboJPEG
public import TesseraPictures

/// Takes the luminance out of a camera's frame. A frame is hostile input: the camera is anything that was plugged in.
///
/// The luminance is left as it is; many cameras use 16 to 235 of it only.
public enum FrameDecoder {
  /// - Parameters:
  ///   - format: The format as the driver states it.
  ///   - bytes: The bytes that the camera has written (`bytesused`), not the whole buffer.
  /// - Returns: A picture of the size in `format`.
  /// - Throws: `FrameError`.
  public static func picture(_ format: FrameFormat, _ bytes: UnsafeRawBufferPointer) throws(FrameError) -> GrayPicture {
    let sides = 1...GrayPicture.longestSide
    guard let luminance = format.pixelFormat.luminance else { throw .unsupportedFormat }
    guard sides.contains(format.width), sides.contains(format.height) else { throw .impossibleSize }
    switch luminance {
    case .plane:
      let stride = try stride(format, row: format.width, bytes)
      return try picture(format) { pixels in
        for row in 0..<format.height {
          let source = UnsafeRawBufferPointer(rebasing: bytes[(row * stride)...].prefix(format.width))
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(pixels)[(row * format.width)...])
            .copyMemory(from: source)
        }
      }
    case .packed(let offset):
      let stride = try stride(format, row: format.width * 2, bytes)
      return try picture(format) { pixels in
        // `stride` has checked the ends of both.
        guard let source = bytes.baseAddress, let target = pixels.baseAddress else { return }
        for row in 0..<format.height {
          let from = source.advanced(by: row * stride + offset).assumingMemoryBound(to: UInt8.self)
          let to = target.advanced(by: row * format.width)
          for column in 0..<format.width { to[column] = from[2 * column] }
        }
      }
    case .jpeg: return try jpeg(format, bytes)
    }
  }

  /// The distance between two rows.
  ///
  /// - Parameter row: The bytes of a row, 1 to twice the longest side.
  /// - Throws: `FrameError` if the rows overlap, or the last one is not within `bytes`.
  private static func stride(
    _ format: FrameFormat, row: Int, _ bytes: UnsafeRawBufferPointer
  ) throws(FrameError) -> Int {
    let stride = format.bytesPerLine == 0 ? row : format.bytesPerLine
    guard stride >= row else { throw .impossibleStride }
    let (lastRow, overflows) = stride.multipliedReportingOverflow(by: format.height - 1)
    guard !overflows, lastRow <= bytes.count, row <= bytes.count - lastRow else { throw .truncated }
    return stride
  }

  private static func picture(
    _ format: FrameFormat, _ initialize: (UnsafeMutableBufferPointer<UInt8>) throws(FrameError) -> Void
  ) throws(FrameError) -> GrayPicture {
    do {
      return try GrayPicture(width: format.width, height: format.height, initializingWith: initialize)
    } catch let error as FrameError {
      throw error
    } catch {
      throw .impossibleSize
    }
  }

  // MARK: - JPEG

  private static func jpeg(
    _ format: FrameFormat, _ bytes: UnsafeRawBufferPointer
  ) throws(FrameError) -> GrayPicture {
    let bytes = bytes.bindMemory(to: UInt8.self)
    // libjpeg-turbo would fill the rest of an incomplete frame with grey.
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw .undecodable }
    guard hasEnd(bytes) else { throw .truncated }
    guard let decoder = tjInitDecompress() else { throw .undecodable }
    defer { tjDestroy(decoder) }
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = 0
    var colourSpace: Int32 = 0
    // It refuses sampling factors that have no name here, but only after it has stored the size; tjDecompress2 decodes them.
    _ = tjDecompressHeader3(
      decoder, bytes.baseAddress, UInt(bytes.count), &width, &height, &subsampling, &colourSpace)
    // 0 by 0 without an image, in a stream of tables only.
    guard width > 0, height > 0 else { throw .undecodable }
    guard Int(width) == format.width, Int(height) == format.height else { throw .otherSize }
    guard colourSpace != Int32(TJCS_CMYK.rawValue), colourSpace != Int32(TJCS_YCCK.rawValue) else { throw .undecodable }
    return try picture(format) { pixels throws(FrameError) in
      // A small progressive image may have thousands of scans over all its pixels.
      let status = tjDecompress2(
        decoder, bytes.baseAddress, UInt(bytes.count), pixels.baseAddress, width, width, height,
        Int32(TJPF_GRAY.rawValue), Int32(TJFLAG_LIMITSCANS))
      // After a warning there is a picture; after an error there is none. Many cameras provoke warnings in every frame,
      // with bytes between the last block and the end marker.
      guard status == 0 || tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) else { throw .undecodable }
    }
  }

  /// Whether there is an end marker. In the data of an image, 0xFF is never followed by 0xD9 (ITU-T T.81, B.1.1.5).
  /// Cameras write anything after it.
  private static func hasEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = bytes.count - 1
    while place > 2 {
      if bytes[place] == 0xD9, bytes[place - 1] == 0xFF { return true }
      place -= 1
    }
    return false
  }
}
