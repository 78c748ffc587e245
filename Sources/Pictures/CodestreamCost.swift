import Passport

/// What decoding a JPEG 2000 codestream would cost. OpenJPEG allocates for tiles, precincts and layers as the headers
/// say, so that a few bytes could ask for gigabytes: they are counted before it sees them (ISO/IEC 15444-1, annex A).
struct CodestreamCost {
  /// Packets: precincts of all resolutions and components, times layers.
  private(set) var packets = 0

  static let mostTiles = 256
  static let mostPackets = 1_000_000
  /// Bytes that a codestream may lack at its end.
  static let mostMissing = 1 << 20

  private let size: JPEG2000File.CodestreamSize
  private var layers = 1

  /// - Throws: `PictureError.tooComplex`, or `.undecodable` where the headers cannot be followed.
  static func check(_ file: JPEG2000File) throws(PictureError) {
    let size = file.imageSize
    guard size.tiles <= mostTiles, (1...4).contains(size.components.count),
      size.components.allSatisfy({
        $0.bits <= 16 && $0.horizontalSeparation <= 4 && $0.verticalSeparation <= 4
      })
    else { throw .tooComplex }
    var cost = CodestreamCost(size: size)
    do {
      try cost.walk(file.codestream)
    } catch let error as PictureError {
      throw error
    } catch {
      throw .undecodable(.jpeg2000)
    }
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
    let components: Int
    switch marker {
    case 0xFF52:  // COD: style, progression, layers, component transform
      style = try fields.number(1)
      _ = try fields.number(1)
      layers = try fields.number(2)
      _ = try fields.number(1)
      components = size.components.count
    case 0xFF53:  // COC: the component, in one byte for less than 257 of them, and its style
      _ = try fields.number(1)
      style = try fields.number(1)
      components = 1
    default: return
    }
    let levels = try fields.number(1)
    guard levels <= 32 else { throw PictureError.undecodable(.jpeg2000) }
    _ = try fields.take(4)  // code-block size and style, wavelet
    for resolution in 0...levels {
      // Without sizes a precinct is as large as anything gets.
      let exponents = style & 1 == 0 ? 0xFF : try fields.number(1)
      let (width, height) = (size.width >> (levels - resolution), size.height >> (levels - resolution))
      // One more each way, for a grid that does not begin with the image; and so for every tile.
      let columns = (width >> (exponents & 0x0F)) + 1 + size.tiles
      let rows = (height >> (exponents >> 4)) + 1 + size.tiles
      // Sides of at most 8192, 4 components and 65,535 layers: far from an overflow.
      packets += columns * rows * components * max(1, layers)
      guard packets <= Self.mostPackets else { throw PictureError.tooComplex }
    }
  }
}
