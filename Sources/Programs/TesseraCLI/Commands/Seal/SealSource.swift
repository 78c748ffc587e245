import FoundationEssentials
import Tessera
import TesseraBarcodes
import TesseraCommandLine
import TesseraSeals

/// The seals of a file: a picture, or the content of one barcode.
struct SealSource {
  /// At least one.
  let seals: [BarcodeSeal]
  /// The zone that the same picture shows.
  let printed: PrintedZone?

  /// - Throws: `Failure`, `BarcodeError`.
  init(path: String) throws {
    if let failure = NamedDump.failureAsSeal(path, isFolder: true) { throw failure }
    let data = try InputFile(path: path).read(upTo: 64 << 20)
    guard Self.isPicture(data) else {
      seals = [try Self.seal(in: data, path)]
      printed = nil
      return
    }
    let picture: GrayPicture
    do {
      picture = try GrayPicture(decoding: data)
    } catch {
      throw Failure(
        .usage, "\(path) is not a picture that Tessera reads: \(error.failure.cause)", remedy: error.remedyForFile)
    }
    let barcodes = try BarcodeReader(.picture).read(picture)
    var found = barcodes.filter(\.content.isSeal).map { BarcodeSeal($0) }
    if found.count > 1 { for index in found.indices { found[index].isAlone = false } }
    seals = found
    guard !seals.isEmpty else { throw Self.absence(barcodes, path) }
    // Which of several seals the zone belongs to is not known; and it may be the one of another document beside it, so that
    // a difference proves nothing.
    let zone = seals.count == 1 ? MRZReader().read(picture).zone : nil
    printed = zone?.zone == nil ? nil : zone.map { PrintedZone(lines: $0.lines, isCertain: false) }
  }

  private static func isPicture(_ data: [UInt8]) -> Bool {
    let beginnings: [[UInt8]] = [
      [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], [0, 0, 0, 0x0C, 0x6A, 0x50], [0xFF, 0x4F, 0xFF, 0x51],
    ]
    return beginnings.contains { data.starts(with: $0) }
  }

  private static func absence(_ barcodes: [Barcode], _ path: String) -> Failure {
    let name = path == "-" ? "The picture" : path
    guard let other = barcodes.first else {
      return Failure(
        .noSeal, "\(name) shows no barcode.",
        remedy: "Photograph the barcode from above: flat, sharp, with a white margin, at least 200 pixels wide.")
    }
    return Failure(.noSeal, "\(name) shows \(other.content.name), which is not a seal of a travel document.")
  }

  // MARK: - Content

  /// The content of a barcode: as it is, or in hexadecimal or base64, as programs of hand scanners write it.
  private static func seal(in data: [UInt8], _ path: String) throws -> BarcodeSeal {
    for bytes in [data, data.withoutLineEnd] + decoded(data) {
      let content = BarcodeContent(bytes)
      if content.isSeal { return BarcodeSeal(bytes: bytes, content: content) }
    }
    let name = path == "-" ? "Standard input" : path
    guard !TravelCredential.isCredential(data) else {
      throw Failure(
        .noSeal, "\(name) is a digital travel credential, which is not a seal.",
        remedy: "Verify it with `tessera passport verify`.")
    }
    let content = BarcodeContent(data.withoutLineEnd)
    guard content != .unknown else {
      if let failure = NamedDump.failureAsSeal(path, isFolder: false) { throw failure }
      throw Failure(
        .noSeal, "\(name) is neither a picture nor the content of a seal.",
        remedy: "Give a JPEG, PNG or JPEG 2000 file, or the bytes of the barcode.")
    }
    throw Failure(.noSeal, "\(name) is \(content.name), which is not a seal of a travel document.")
  }

  private static func decoded(_ data: [UInt8]) -> [[UInt8]] {
    // No barcode has as much.
    guard data.count <= 1 << 16 else { return [] }
    let text = data.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    var results: [[UInt8]] = []
    if !text.isEmpty, let bytes = [UInt8](hexadecimal: String(decoding: text, as: UTF8.self)) { results.append(bytes) }
    if let bytes = Data(base64Encoded: Data(text)) { results.append(Array(bytes)) }
    return results
  }
}

extension [UInt8] {
  /// Editors and `echo` end a text with a line feed, which no barcode has.
  fileprivate var withoutLineEnd: [UInt8] {
    guard let end = lastIndex(where: { $0 != 0x0A && $0 != 0x0D }) else { return [] }
    return Array(self[...end])
  }
}
