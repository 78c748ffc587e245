import Passport

/// What decoding a JPEG 2000 codestream would cost. OpenJPEG allocates for tiles, precincts, code blocks and layers as the
/// headers say, so that a few bytes could ask for gigabytes: they are counted before it sees them (ISO/IEC 15444-1,
/// annexes A and B).
struct CodestreamCost {
  /// Precincts of all tiles, components and resolutions; each has one packet in every layer (B.9).
  private(set) var precincts = 0
  /// What OpenJPEG makes before it decodes anything: for every band of a precinct two tag trees, and all code blocks.
  private(set) var parts = 0

  static let mostTiles = 256
  static let mostPackets = 1_000_000
  /// As many samples as are allowed have 47,000 code blocks of 16 by 16.
  static let mostParts = 65_536
  /// Pixels of all components: a portrait at 600 dots per inch has 3 million. OpenJPEG takes 8 bytes for each.
  static let mostSamples = 12_000_000
  /// Bytes that a codestream may lack at its end.
  static let mostMissing = 1 << 20

  private let size: JPEG2000File.CodestreamSize
  private var layers = 1

  /// - Throws: `PictureError.tooComplex`, `.tooLarge`, or `.undecodable` where the headers cannot be followed.
  @discardableResult
  static func check(_ file: JPEG2000File) throws(PictureError) -> CodestreamCost {
    let size = file.imageSize
    guard size.tiles <= mostTiles, (1...4).contains(size.components.count),
      size.components.allSatisfy({
        $0.bits <= 16 && $0.horizontalSeparation <= 4 && $0.verticalSeparation <= 4
      })
    else { throw .tooComplex }
    // Sides of at most 8192: far from an overflow.
    let samples = size.components.reduce(0) { sum, component in
      sum + (size.width / component.horizontalSeparation + 1) * (size.height / component.verticalSeparation + 1)
    }
    guard samples <= mostSamples else { throw .tooLarge(ImageSize(width: size.width, height: size.height)) }
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

  /// Markers with a segment, in the main header or a tile-part's. What OpenJPEG would have to search its way through is
  /// refused: nobody could say what it finds.
  private static let known: Set<Int> = [
    0xFF50, 0xFF51, 0xFF52, 0xFF53, 0xFF55, 0xFF56, 0xFF57, 0xFF58, 0xFF59, 0xFF5C, 0xFF5D, 0xFF5E, 0xFF5F, 0xFF60,
    0xFF61, 0xFF63, 0xFF64,
  ]

  private mutating func walk(_ codestream: ArraySlice<UInt8>) throws {
    var bytes = ImageBytes(codestream.dropFirst(2))
    var tilePart: ArraySlice<UInt8>?
    // Cut short between two tile-parts is cut short, and no reason to refuse the rest.
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
        // A few bytes may be missing at the end; but OpenJPEG makes room for all that is stated.
        guard length <= codestream.count + Self.mostMissing else { throw PictureError.undecodable(.jpeg2000) }
        // Zero: up to the end of the codestream.
        tilePart = length == 0 ? [] : start.dropFirst(length)
      case 0xFF93:
        guard let next = tilePart else { throw PictureError.undecodable(.jpeg2000) }
        // A tile-part that ends within its own header would be walked through again and again.
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
      // Without sizes a precinct is as large as anything gets.
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
        guard parts <= Self.mostParts else { throw PictureError.tooComplex }
      }
    }
    guard precincts * layers <= Self.mostPackets else { throw PictureError.tooComplex }
  }
}

/// How many precincts and code blocks lie side by side in one direction of one resolution, over all tiles (B.6 and B.7).
private struct Cells {
  private(set) var precincts = 0
  /// In one band.
  private(set) var blocks = 0

  /// - Parameters:
  ///   - reduction: how often the resolution was halved.
  ///   - isLowest: whether its band is as large as the resolution itself, and not half of it.
  ///   - precinct, block: lengths as exponents of two.
  init(
    _ extent: JPEG2000File.CodestreamSize.Extent, _ separation: Int, _ reduction: Int, isLowest: Bool, precinct: Int,
    block: Int
  ) {
    let halving = isLowest ? 0 : 1
    // A code block is not longer than what its precinct has of the band.
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

  /// How many cells of a grid `first..<end` has a part of.
  private static func touched(_ first: Int, _ end: Int, _ exponent: Int) -> Int {
    max(0, divided(end, by: 1 << exponent) - (first >> exponent))
  }
}
