/// The outer structure of a JPEG 2000 image: a JP2 file (ISO/IEC 15444-1, annex I) or a bare codestream (annex A).
///
/// The decoder reads only the codestream, so its values take precedence over those of the boxes.
package struct JPEG2000File: Sendable, Hashable {
  static let signature: [UInt8] = [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
  static let codestreamStart: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

  /// The SIZ segment (A.5.1).
  package struct CodestreamSize: Sendable, Hashable {
    package struct Component: Sendable, Hashable {
      package let bits: Int
      package let isSigned: Bool
      package let horizontalSeparation: Int
      package let verticalSeparation: Int
    }

    /// The position of the image and its tiles in one direction of the reference grid (B.2 and B.3).
    package struct Extent: Sendable, Hashable {
      package let start: Int
      package let end: Int
      let tileStart: Int
      let tileLength: Int

      package var length: Int { end - start }
      /// Number of tiles in this direction.
      package var tiles: Int { (end - tileStart + tileLength - 1) / tileLength }

      /// The part of the image in each tile; empty for a tile outside the image. Check `tiles` first: it may be very
      /// large.
      package var tileRanges: [Range<Int>] {
        (0..<tiles).map { index in
          let first = min(max(start, tileStart + index * tileLength), end)
          return first..<max(first, min(end, tileStart + (index + 1) * tileLength))
        }
      }
    }

    package let horizontal: Extent
    package let vertical: Extent
    package let components: [Component]

    package var width: Int { horizontal.length }
    package var height: Int { vertical.length }

    /// The number of tiles.
    package var tiles: Int {
      let (tiles, overflow) = horizontal.tiles.multipliedReportingOverflow(by: vertical.tiles)
      return overflow ? .max : tiles
    }
  }

  package let imageSize: CodestreamSize
  package let colours: JPEG2000Colours
  package let codestream: ArraySlice<UInt8>
  /// Whether the codestream is shorter than its box states.
  package let isTruncated: Bool

  /// - Throws: `ImageHeader.Problem`.
  package init(_ data: ArraySlice<UInt8>) throws(ImageHeader.Problem) {
    var colours = JPEG2000Colours()
    var codestream: JPEG2000Box?
    if data.starts(with: Self.codestreamStart) {
      codestream = JPEG2000Box(codestream: data)
    } else {
      var rest = ImageBytes(data)
      while !rest.rest.isEmpty, codestream == nil {
        let box = try JPEG2000Box(&rest)
        switch box.kind {
        case "ftyp":
          guard let kind = Self.foreignKind(box) else { break }
          throw .unsupported(kind)
        // JPX files may have the boxes of a header in those of a codestream or a layer (ISO/IEC 15444-2, annex M).
        case "jp2h", "jpch", "jplh": try colours.read(box)
        case "jp2c": codestream = box
        default: break
        }
      }
    }
    guard let codestream else { throw .malformed("no codestream") }
    self.codestream = codestream.content
    self.colours = colours
    isTruncated = codestream.isTruncated
    imageSize = try Self.size(of: codestream.content)
  }

  /// Formats with the same signature, by their brand.
  private static func foreignKind(_ box: JPEG2000Box) -> String? {
    switch String(decoding: box.content.prefix(4), as: UTF8.self) {
    case "mjp2", "mj2s": "a JPEG 2000 film"
    case "jpm ": "a JPM document"
    default: nil
    }
  }

  private static func size(of codestream: ArraySlice<UInt8>) throws(ImageHeader.Problem) -> CodestreamSize {
    guard codestream.starts(with: codestreamStart) else { throw .malformed("no SIZ") }
    var bytes = ImageBytes(codestream.dropFirst(4))
    let length = try bytes.number(2)
    _ = try bytes.number(2)
    let (right, bottom) = (try bytes.number(4), try bytes.number(4))
    let (left, top) = (try bytes.number(4), try bytes.number(4))
    let (tileWidth, tileHeight) = (try bytes.number(4), try bytes.number(4))
    let (tileLeft, tileTop) = (try bytes.number(4), try bytes.number(4))
    let count = try bytes.number(2)
    guard length == 38 + 3 * count, left < right, top < bottom, tileWidth > 0, tileHeight > 0, tileLeft <= left,
      tileTop <= top
    else { throw .malformed("SIZ") }
    var components: [CodestreamSize.Component] = []
    for _ in 0..<count {
      let depth = try bytes.number(1)
      let component = CodestreamSize.Component(
        bits: (depth & 0x7F) + 1, isSigned: depth & 0x80 != 0, horizontalSeparation: try bytes.number(1),
        verticalSeparation: try bytes.number(1))
      guard component.horizontalSeparation > 0, component.verticalSeparation > 0 else { throw .malformed("SIZ") }
      components.append(component)
    }
    // The numbers have 32 bits, so nothing overflows.
    return CodestreamSize(
      horizontal: CodestreamSize.Extent(start: left, end: right, tileStart: tileLeft, tileLength: tileWidth),
      vertical: CodestreamSize.Extent(start: top, end: bottom, tileStart: tileTop, tileLength: tileHeight),
      components: components)
  }
}

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
