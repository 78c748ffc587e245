import CTesseraOpenJPEG
import TesseraPassport

/// Decodes JPEG 2000 with OpenJPEG. OpenJPEG gets only the codestream, whose headers are checked first; the boxes around
/// it are read in Swift.
enum JPEG2000Decoder {
  /// - Parameter pixels: `layout.bytes` a pixel of the stated size.
  /// - Returns: whether the data are damaged.
  /// - Throws: `PictureError`.
  static func decode(
    _ data: [UInt8], _ layout: PixelLayout, into pixels: UnsafeMutableBufferPointer<UInt8>
  ) throws(PictureError) -> Bool {
    let file: JPEG2000File
    let roles: JPEG2000Colours.Roles
    do {
      file = try JPEG2000File(data[...])
      try CodestreamCost.check(file)
      roles = try file.colours.roles(components: file.imageSize.components.count)
    } catch let error as PictureError {
      throw error
    } catch {
      throw (error as? ImageHeader.Problem).map(PictureError.unreadable) ?? .undecodable(.jpeg2000)
    }
    if case .other(let name) = file.colours.space { throw .unsupported("a JPEG 2000 image in \(name)") }
    let size = ImageSize(width: file.imageSize.width, height: file.imageSize.height)
    guard pixels.count == size.width * size.height * layout.bytes, let image = decoded(file) else {
      throw .undecodable(.jpeg2000)
    }
    defer { opj_image_destroy(image.image) }
    guard let channels = JPEG2000Channels(image.image.pointee, size, roles, file.colours.space) else {
      throw .undecodable(.jpeg2000)
    }
    channels.write(layout, to: pixels)
    return image.isDamaged || file.isTruncated
  }

  private static func decoded(_ file: JPEG2000File) -> (image: UnsafeMutablePointer<opj_image_t>, isDamaged: Bool)? {
    guard let codec = opj_create_decompress(OPJ_CODEC_J2K) else { return nil }
    defer { opj_destroy_codec(codec) }
    var warnings: CInt = 0
    var image: UnsafeMutablePointer<opj_image_t>?
    let isDecoded = withUnsafeMutablePointer(to: &warnings) { warnings in
      opj_set_warning_handler(
        codec, { _, count in count?.assumingMemoryBound(to: CInt.self).pointee = 1 }, UnsafeMutableRawPointer(warnings))
      var parameters = opj_dparameters_t()
      opj_set_default_decoder_parameters(&parameters)
      // Documents with portraits that lack their last bytes exist; the decodable part is shown.
      guard opj_setup_decoder(codec, &parameters) != 0, opj_decoder_set_strict_mode(codec, 0) != 0 else { return false }
      return CodestreamSource.withStream(of: file.codestream) { stream in
        guard opj_read_header(stream, codec, &image) != 0, let image else { return false }
        let isComplete = opj_decode(codec, stream, image) != 0
        if isComplete, opj_end_decompress(codec, stream) == 0 { warnings.pointee = 1 }
        return isComplete
      }
    }
    guard let image else { return nil }
    guard isDecoded else {
      opj_image_destroy(image)
      return nil
    }
    return (image, warnings != 0)
  }
}

/// An OpenJPEG stream over bytes in memory.
private struct CodestreamSource {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  /// - Parameter body: receives a stream that is valid during the call.
  static func withStream(of bytes: ArraySlice<UInt8>, _ body: (UnsafeMutablePointer<opj_stream_t?>) -> Bool) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var source = CodestreamSource(bytes: buffer)
      return withUnsafeMutablePointer(to: &source) { source in
        guard let stream = opj_stream_create(1 << 16, 1) else { return false }
        defer { opj_stream_destroy(stream) }
        opj_stream_set_read_function(stream) { target, count, source in
          // OpenJPEG signals the end with (size_t)-1, and size_t is Int in Swift.
          guard let source = source?.assumingMemoryBound(to: CodestreamSource.self), let target else { return -1 }
          let rest = source.pointee.bytes.dropFirst(source.pointee.position).prefix(Int(clamping: count))
          guard !rest.isEmpty, let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress else { return -1 }
          target.copyMemory(from: base, byteCount: rest.count)
          source.pointee.position += rest.count
          return OPJ_SIZE_T(rest.count)
        }
        opj_stream_set_skip_function(stream) { count, source in
          guard let source = source?.assumingMemoryBound(to: CodestreamSource.self) else { return -1 }
          let rest = source.pointee.bytes.count - source.pointee.position
          guard count >= 0, rest > 0 else { return -1 }
          let step = min(Int(count), rest)
          source.pointee.position += step
          return OPJ_OFF_T(step)
        }
        opj_stream_set_seek_function(stream) { position, source in
          guard let source = source?.assumingMemoryBound(to: CodestreamSource.self), position >= 0,
            position <= source.pointee.bytes.count
          else { return 0 }
          source.pointee.position = Int(position)
          return 1
        }
        opj_stream_set_user_data(stream, source, nil)
        opj_stream_set_user_data_length(stream, OPJ_UINT64(buffer.count))
        return body(stream)
      }
    }
  }
}
