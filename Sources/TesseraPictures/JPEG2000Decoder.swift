import CTesseraOpenJPEG
import TesseraPassport

/// Decodes JPEG 2000 with OpenJPEG. OpenJPEG gets only the codestream, whose headers are checked first; of the JP2
/// boxes around it, only the colour space is used.
enum JPEG2000Decoder {
  static func decode(_ data: [UInt8]) throws(PictureError) -> Picture {
    let file: JPEG2000File
    do {
      file = try JPEG2000File(data[...])
    } catch {
      throw .unreadable(error)
    }
    guard !file.hasPalette else { throw .unsupported("a JPEG 2000 image with a palette") }
    try CodestreamCost.check(file)
    guard let image = decoded(file) else { throw .undecodable(.jpeg2000) }
    defer { opj_image_destroy(image.image) }
    let size = ImageSize(width: file.imageSize.width, height: file.imageSize.height)
    guard let pixels = Components(image.image.pointee, size)?.pixels(file.colourSpace) else {
      throw .undecodable(.jpeg2000)
    }
    return Picture(size: size, pixels: pixels, isDamaged: image.isDamaged)
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

/// The decoded components, which may have a lower resolution than the image and any bit depth.
private struct Components {
  private struct Plane {
    let values: UnsafeBufferPointer<OPJ_INT32>
    let width: Int
    let height: Int
    let bits: Int
    let offset: Int

    init?(_ component: opj_image_comp_t) {
      width = Int(component.w)
      height = Int(component.h)
      bits = Int(component.prec)
      offset = component.sgnd != 0 ? 1 << (max(1, bits) - 1) : 0
      guard let data = component.data, width > 0, height > 0, (1...16).contains(bits) else { return nil }
      values = UnsafeBufferPointer(start: data, count: width * height)
    }

    /// 0 to 255.
    func value(_ column: Int, _ row: Int, of size: ImageSize) -> Int {
      let index = min(row * height / size.height, height - 1) * width + min(column * width / size.width, width - 1)
      let value = Int(values[index]) + offset
      let scaled = bits == 8 ? value : value * 255 / ((1 << bits) - 1)
      return min(max(scaled, 0), 255)
    }
  }

  private let planes: [Plane]
  private let size: ImageSize

  /// The planes are valid as long as the image exists.
  init?(_ image: opj_image_t, _ size: ImageSize) {
    guard let components = image.comps else { return nil }
    self.size = size
    planes = UnsafeBufferPointer(start: components, count: Int(image.numcomps)).compactMap(Plane.init)
    guard !planes.isEmpty, planes.count == Int(image.numcomps) else { return nil }
  }

  func pixels(_ colourSpace: JPEG2000File.ColourSpace) -> [UInt8] {
    let isGrey = colourSpace == .grey || planes.count < 3
    return [UInt8](unsafeUninitializedCapacity: size.width * size.height * 3) { target, count in
      for row in 0..<size.height {
        for column in 0..<size.width {
          let first = planes[0].value(column, row, of: size)
          var colour = (first, first, first)
          if !isGrey {
            colour = (first, planes[1].value(column, row, of: size), planes[2].value(column, row, of: size))
            if colourSpace == .sYCC { colour = Self.rgb(colour) }
          }
          target[count] = UInt8(clamping: colour.0)
          target[count + 1] = UInt8(clamping: colour.1)
          target[count + 2] = UInt8(clamping: colour.2)
          count += 3
        }
      }
    }
  }

  /// IEC 61966-2-1, annex G: the coefficients of ITU-R BT.601.
  private static func rgb(_ colour: (Int, Int, Int)) -> (Int, Int, Int) {
    let (blue, red) = (colour.1 - 128, colour.2 - 128)
    return (
      colour.0 + red * 1402 / 1000, colour.0 - blue * 344 / 1000 - red * 714 / 1000, colour.0 + blue * 1772 / 1000
    )
  }
}
