/// The outer structure of a JPEG 2000 image: a JP2 file (ISO/IEC 15444-1, annex I) or a bare codestream (annex A).
///
/// The decoder reads only the codestream, so its values take precedence over those of the boxes.
package struct JPEG2000File: Sendable, Hashable {
  static let signature: [UInt8] = [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
  static let codestreamStart: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

  /// The interpretation of the components.
  package enum ColourSpace: Sendable, Hashable {
    case sRGB
    case grey
    case sYCC
    /// An ICC profile, another number, or a bare codestream: the number of components decides.
    case unspecified
  }

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
  package let colourSpace: ColourSpace
  /// Whether the components are indices of a palette.
  package let hasPalette: Bool
  package let codestream: ArraySlice<UInt8>

  /// - Throws: `ImageHeader.Problem`.
  package init(_ data: ArraySlice<UInt8>) throws(ImageHeader.Problem) {
    var colourSpace: ColourSpace?
    var hasPalette = false
    var codestream: ArraySlice<UInt8>?
    if data.starts(with: Self.codestreamStart) {
      codestream = data
    } else {
      var rest = ImageBytes(data)
      while !rest.rest.isEmpty, codestream == nil {
        let box = try Self.box(&rest)
        switch box.kind {
        case "jp2h": (colourSpace, hasPalette) = try Self.header(box.content)
        case "jp2c": codestream = box.content
        default: break
        }
      }
    }
    guard let codestream else { throw .malformed("no codestream") }
    self.codestream = codestream
    self.colourSpace = colourSpace ?? .unspecified
    self.hasPalette = hasPalette
    imageSize = try Self.size(of: codestream)
  }

  private static func box(
    _ bytes: inout ImageBytes
  ) throws(ImageHeader.Problem) -> (kind: String, content: ArraySlice<UInt8>) {
    let length = try bytes.number(4)
    let kind = String(decoding: try bytes.take(4), as: UTF8.self)
    switch length {
    case 0: return (kind, try bytes.take(bytes.rest.count))  // up to the end of the file
    case 1:
      let high = try bytes.number(4)
      let low = try bytes.number(4)
      guard high == 0, low >= 16 else { throw .malformed("box length") }
      return (kind, try bytes.take(low - 16))
    case 8...: return (kind, try bytes.take(length - 8))
    default: throw .malformed("box length")
    }
  }

  /// The first usable colour specification, and whether there is a palette.
  private static func header(_ content: ArraySlice<UInt8>) throws(ImageHeader.Problem) -> (ColourSpace?, Bool) {
    var rest = ImageBytes(content)
    var colourSpace: ColourSpace?
    var hasPalette = false
    while !rest.rest.isEmpty {
      let box = try Self.box(&rest)
      if box.kind == "pclr" { hasPalette = true }
      guard box.kind == "colr", colourSpace == nil else { continue }
      var fields = ImageBytes(box.content)
      guard try fields.number(1) == 1 else { continue }  // an ICC profile
      _ = try fields.take(2)
      colourSpace = [16: .sRGB, 17: .grey, 18: .sYCC][try fields.number(4)]
    }
    return (colourSpace, hasPalette)
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
