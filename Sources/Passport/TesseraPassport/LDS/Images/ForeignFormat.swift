/// Formats that no travel document has. Only their names are known, so that a refusal can be understood.
enum ForeignFormat {
  /// The name with its article; nil for other data.
  static func name(of data: ArraySlice<UInt8>) -> String? {
    let start = Array(data.prefix(64))
    if let entry = signatures.first(where: { start.starts(with: $0.bytes) }) { return entry.name }
    if start.starts(with: Array("RIFF".utf8)), start.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      return "a WebP picture"
    }
    if start.dropFirst(4).starts(with: Array("ftyp".utf8)) { return mediaName(start) }
    // The length of the second header tells it from text.
    if start.starts(with: Array("BM".utf8)), start.count > 18, [12, 40, 52, 56, 64, 108, 124].contains(start[14]),
      start[15..<18].allSatisfy({ $0 == 0 })
    {
      return "a BMP picture"
    }
    if start.count > 3, start[0] == 0x50, (0x31...0x37).contains(start[1]), [0x09, 0x0A, 0x0D, 0x20].contains(start[2])
    {
      return "a PNM picture"
    }
    return nil
  }

  private static let signatures: [(name: String, bytes: [UInt8])] = [
    ("a GIF picture", Array("GIF8".utf8)),
    ("a TIFF picture", [0x49, 0x49, 0x2A, 0x00]), ("a TIFF picture", [0x4D, 0x4D, 0x00, 0x2A]),
    ("a TIFF picture", [0x49, 0x49, 0x2B, 0x00]), ("a TIFF picture", [0x4D, 0x4D, 0x00, 0x2B]),
    ("a PDF file", Array("%PDF-".utf8)), ("a PostScript file", Array("%!PS".utf8)),
    ("a JPEG XL picture", [0xFF, 0x0A]),
    ("a JPEG XL picture", [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
    ("a JPEG XR picture", [0x49, 0x49, 0xBC]),
    ("a Photoshop picture", Array("8BPS".utf8)),
    ("an icon", [0x00, 0x00, 0x01, 0x00]),
    ("an SVG picture", Array("<svg".utf8)),
    ("an XML file", Array("<?xml".utf8)),
    ("an HTML page", Array("<!DOCTYPE html".utf8)), ("an HTML page", Array("<html".utf8)),
    ("a ZIP archive", [0x50, 0x4B, 0x03, 0x04]),
    ("an MNG picture", [0x8A, 0x4D, 0x4E, 0x47]),
    ("a QOI picture", Array("qoif".utf8)),
    ("an OpenEXR picture", [0x76, 0x2F, 0x31, 0x01]),
  ]

  /// By the brands of the first box (ISO/IEC 14496-12, 4.3).
  private static func mediaName(_ start: [UInt8]) -> String {
    let length = start.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let brands = stride(from: 8, to: min(max(12, length), start.count), by: 4).map {
      String(decoding: start[$0..<min($0 + 4, start.count)], as: UTF8.self)
    }
    if brands.contains(where: { ["avif", "avis"].contains($0) }) { return "an AVIF picture" }
    let heif: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1"]
    return brands.contains(where: heif.contains) ? "a HEIC picture" : "a film"
  }
}
