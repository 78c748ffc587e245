/// A box of a JP2 file (ISO/IEC 15444-1, I.4). Boxes are read here because OpenJPEG refuses a file whose codestream lacks its
/// last bytes, and allocates as the boxes state.
struct JPEG2000Box {
  let kind: String
  let content: ArraySlice<UInt8>
  /// Whether the box is a codestream that ends with the data before its stated end.
  let isTruncated: Bool

  init(codestream: ArraySlice<UInt8>) {
    kind = "jp2c"
    content = codestream
    isTruncated = false
  }

  /// - Throws: `ImageHeader.Problem`.
  init(_ bytes: inout ImageBytes) throws(ImageHeader.Problem) {
    var length = try bytes.number(4)
    kind = String(decoding: try bytes.take(4), as: UTF8.self)
    switch length {
    case 0: length = bytes.rest.count  // up to the end of the file
    case 1:
      let high = try bytes.number(4)
      let low = try bytes.number(4)
      guard high > 0 || low >= 16 else { throw .malformed("box length") }
      length = high > 0 ? .max : low - 16
    case 8...: length -= 8
    default: throw .malformed("box length")
    }
    // Documents with portraits that lack their last bytes exist. The decoder shows what is there.
    isTruncated = kind == "jp2c" && length > bytes.rest.count
    content = try bytes.take(isTruncated ? bytes.rest.count : length)
  }
}
