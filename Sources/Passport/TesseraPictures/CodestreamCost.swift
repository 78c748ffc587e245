import TesseraPassport

/// The cost of decoding a JPEG 2000 codestream (ISO/IEC 15444-1, annexes A and B).
///
/// OpenJPEG has no limits: it allocates tiles, precincts, code blocks and layers as the headers state, so
/// that a few bytes could make it allocate gigabytes. Therefore they are counted before OpenJPEG reads the codestream.
struct CodestreamCost {
  /// Precincts of all tiles, components and resolutions; each has one packet in every layer (B.9).
  private(set) var precincts = 0
  /// Structures that OpenJPEG allocates before decoding: two tag trees for every band of a precinct, and all code
  /// blocks.
  private(set) var parts = 0

  static let maximumTiles = 256
  static let maximumPackets = 1_000_000
  /// The largest allowed image has 47,000 code blocks of 16 by 16 samples.
  static let maximumParts = 65_536
  /// Samples of all components. A portrait at 600 dots per inch has 3 million; OpenJPEG uses 8 bytes for each.
  static let maximumSamples = 12_000_000
  /// Bytes that may be missing at the end of a codestream.
  static let maximumMissing = 1 << 20

  private let size: JPEG2000File.CodestreamSize
  private var layers = 1

  /// - Throws: `PictureError.tooComplex`, `.tooLarge`, or `.undecodable` if the headers cannot be parsed.
  @discardableResult
  static func check(_ file: JPEG2000File) throws(PictureError) -> CodestreamCost {
    let size = file.imageSize
    guard (1...4).contains(size.components.count) else {
      throw .unsupported("a JPEG 2000 image with \(size.components.count) components")
    }
    guard size.components.allSatisfy({ $0.bits <= 16 }) else {
      throw .unsupported("a JPEG 2000 image with more than 16 bits a sample")
    }
    guard size.tiles <= maximumTiles,
      size.components.allSatisfy({ $0.horizontalSeparation <= 4 && $0.verticalSeparation <= 4 })
    else { throw .tooComplex }
    // Sides of at most 8192: far from an overflow.
    let samples = size.components.reduce(0) { sum, component in
      sum + (size.width / component.horizontalSeparation + 1) * (size.height / component.verticalSeparation + 1)
    }
    guard samples <= maximumSamples else { throw .tooLarge(ImageSize(width: size.width, height: size.height)) }
    var cost = CodestreamCost(size: size)
    do {
      try cost.walk(file.codestream)
    } catch let error as PictureError {
      throw error
    } catch {
      throw .undecodable(.jpeg2000)
    }
    return cost
  }

  private init(size: JPEG2000File.CodestreamSize) { self.size = size }

  /// Markers with a segment, in the main header or a tile-part header. Other markers are refused: OpenJPEG would search
  /// for the next known one, and what it finds cannot be predicted.
  private static let known: Set<Int> = [
    0xFF50, 0xFF51, 0xFF52, 0xFF53, 0xFF55, 0xFF56, 0xFF57, 0xFF58, 0xFF59, 0xFF5C, 0xFF5D, 0xFF5E, 0xFF5F, 0xFF60,
    0xFF61, 0xFF63, 0xFF64,
  ]

  private mutating func walk(_ codestream: ArraySlice<UInt8>) throws {
    var bytes = ImageBytes(codestream.dropFirst(2))
    var tilePart: ArraySlice<UInt8>?
    // A codestream that ends between two tile-parts is incomplete, but can be decoded.
    while bytes.rest.count >= 2 {
      let start = bytes.rest
      let marker = try bytes.number(2)
      switch marker {
      case 0xFFD9: return
      case 0xFF90:
        guard tilePart == nil, try bytes.number(2) == 10 else { throw PictureError.undecodable(.jpeg2000) }
        _ = try bytes.number(2)
        let length = try bytes.number(4)
        _ = try bytes.number(2)
        // A few bytes may be missing at the end, but OpenJPEG allocates the stated length.
        guard length <= codestream.count + Self.maximumMissing else { throw PictureError.undecodable(.jpeg2000) }
        // Zero: up to the end of the codestream.
        tilePart = length == 0 ? [] : start.dropFirst(length)
      case 0xFF93:
        guard let next = tilePart else { throw PictureError.undecodable(.jpeg2000) }
        // A tile-part that ends within its own header would be read again and again.
        guard next.isEmpty || next.startIndex >= bytes.rest.startIndex else {
          throw PictureError.undecodable(.jpeg2000)
        }
        bytes = ImageBytes(next)
        tilePart = nil
      case _ where Self.known.contains(marker):
        let length = try bytes.number(2)
        guard length >= 2 else { throw PictureError.undecodable(.jpeg2000) }
        try count(marker, ImageBytes(try bytes.take(length - 2)))
      default: throw PictureError.undecodable(.jpeg2000)
      }
    }
  }

  private mutating func count(_ marker: Int, _ segment: ImageBytes) throws {
    var fields = segment
    let style: Int
    let components: ArraySlice<JPEG2000File.CodestreamSize.Component>
    switch marker {
    case 0xFF52:  // COD: style, progression, layers, component transform
      style = try fields.number(1)
      _ = try fields.number(1)
      layers = max(layers, try fields.number(2))
      _ = try fields.number(1)
      components = size.components[...]
    case 0xFF53:  // COC: the component, in one byte for less than 257 of them, and its style
      components = size.components.dropFirst(try fields.number(1)).prefix(1)
      style = try fields.number(1)
    default: return
    }
    let levels = try fields.number(1)
    guard levels <= 32 else { throw PictureError.undecodable(.jpeg2000) }
    let (blockWidth, blockHeight) = (try fields.number(1) & 0x0F, try fields.number(1) & 0x0F)
    _ = try fields.take(2)  // code-block style, wavelet
    for resolution in 0...levels {
      // Without stated sizes a precinct has the maximum size.
      let exponents = style & 1 == 0 ? 0xFF : try fields.number(1)
      for component in components {
        let columns = Cells(
          size.horizontal, component.horizontalSeparation, levels - resolution, isLowest: resolution == 0,
          precinct: exponents & 0x0F, block: blockWidth + 2)
        let rows = Cells(
          size.vertical, component.verticalSeparation, levels - resolution, isLowest: resolution == 0,
          precinct: exponents >> 4, block: blockHeight + 2)
        // Sides of at most 8192 and 256 tiles: each factor is below 10,000, far from an overflow.
        let bands = resolution == 0 ? 1 : 3
        precincts += columns.precincts * rows.precincts
        parts += bands * (columns.precincts * rows.precincts + columns.blocks * rows.blocks)
        guard parts <= Self.maximumParts else { throw PictureError.tooComplex }
      }
    }
    guard precincts * layers <= Self.maximumPackets else { throw PictureError.tooComplex }
  }
}

/// The number of precincts and code blocks in one direction of one resolution, over all tiles (B.6 and B.7).
private struct Cells {
  private(set) var precincts = 0
  /// In one band.
  private(set) var blocks = 0

  /// - Parameters:
  ///   - reduction: how many times the resolution was halved.
  ///   - isLowest: whether this is the lowest resolution, whose band has its full size instead of half.
  ///   - precinct, block: lengths as exponents of two.
  init(
    _ extent: JPEG2000File.CodestreamSize.Extent, _ separation: Int, _ reduction: Int, isLowest: Bool, precinct: Int,
    block: Int
  ) {
    let halving = isLowest ? 0 : 1
    // A code block is not longer than its precinct's part of the band.
    let block = min(block, max(0, precinct - halving))
    for tile in extent.tileRanges {
      let first = Self.divided(Self.divided(tile.lowerBound, by: separation), by: 1 << reduction)
      let end = Self.divided(Self.divided(tile.upperBound, by: separation), by: 1 << reduction)
      precincts += Self.touched(first, end, precinct)
      blocks += Self.touched(first >> halving, Self.divided(end, by: 1 << halving), block)
    }
  }

  /// Rounded up.
  private static func divided(_ number: Int, by divisor: Int) -> Int { (number + divisor - 1) / divisor }

  /// The number of grid cells that `first..<end` touches.
  private static func touched(_ first: Int, _ end: Int, _ exponent: Int) -> Int {
    max(0, divided(end, by: 1 << exponent) - (first >> exponent))
  }
}
