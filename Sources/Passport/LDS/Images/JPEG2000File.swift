/// The outer structure of a JPEG 2000 image: a JP2 file (ISO/IEC 15444-1, annex I) or a bare codestream (annex A).
///
/// The codestream is what is decoded, so its statements count and not those of the boxes around it.
public struct JPEG2000File: Sendable, Hashable {
  static let signature: [UInt8] = [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]
  static let codestreamStart: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

  /// How the components are to be read.
  public enum ColourSpace: Sendable, Hashable {
    case sRGB
    case grey
    case sYCC
    /// An ICC profile, another number, or a bare codestream: to be told by the number of components.
    case unspecified
  }

  /// The SIZ segment (A.5.1).
  public struct CodestreamSize: Sendable, Hashable {
    public struct Component: Sendable, Hashable {
      public let bits: Int
      public let isSigned: Bool
      public let horizontalSeparation: Int
      public let verticalSeparation: Int
    }

    /// Where the image and its tiles lie in one direction of the reference grid (B.2 and B.3).
    public struct Extent: Sendable, Hashable {
      public let start: Int
      public let end: Int
      let tileStart: Int
      let tileLength: Int

      public var length: Int { end - start }
      /// Number of tiles in this direction.
      public var tiles: Int { (end - tileStart + tileLength - 1) / tileLength }

      /// What each tile has of the image; empty for one that has nothing. To be asked for only where the tiles are few.
      public var tileRanges: [Range<Int>] {
        (0..<tiles).map { index in
          let first = min(max(start, tileStart + index * tileLength), end)
          return first..<max(first, min(end, tileStart + (index + 1) * tileLength))
        }
      }
    }

    public let horizontal: Extent
    public let vertical: Extent
    public let components: [Component]

    public var width: Int { horizontal.length }
    public var height: Int { vertical.length }

    /// Number of tiles that the image is cut into.
    public var tiles: Int {
      let (tiles, overflow) = horizontal.tiles.multipliedReportingOverflow(by: vertical.tiles)
      return overflow ? .max : tiles
    }
  }

  public let imageSize: CodestreamSize
  public let colourSpace: ColourSpace
  /// Whether the components are indices of a palette.
  public let hasPalette: Bool
  public let codestream: ArraySlice<UInt8>

  /// - Throws: `ImageHeader.Problem`.
  public init(_ data: ArraySlice<UInt8>) throws(ImageHeader.Problem) {
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

  /// The first colour specification that can be used, and whether there is a palette.
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
    // Numbers of 32 bits, so nothing overflows.
    return CodestreamSize(
      horizontal: CodestreamSize.Extent(start: left, end: right, tileStart: tileLeft, tileLength: tileWidth),
      vertical: CodestreamSize.Extent(start: top, end: bottom, tileStart: tileTop, tileLength: tileHeight),
      components: components)
  }
}
