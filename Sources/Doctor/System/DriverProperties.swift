import Foundation

/// What a reader's driver says of itself in its bundle's `Info.plist`: which readers of the USB it drives.
///
/// Source: pcsc-lite's IFD handler specification, "Info.plist"; the lists of vendors, products and names go side by
/// side.
struct DriverProperties {
  private let lists: [String: [String]]

  /// - Parameter file: a property list in XML. Of one that is damaged, as much as can be read.
  init(_ file: some Collection<UInt8>) { lists = Self.strings(of: file) }

  /// The name under which pcscd lists a reader of this kind; nil where the driver does not know it.
  func readerName(_ identity: USBIdentity) -> String? {
    zip(lists["ifdVendorID", default: []], lists["ifdProductID", default: []]).enumerated()
      .first { USBIdentity(vendor: $1.0, product: $1.1) == identity }
      .map { index, _ in
        let names = lists["ifdFriendlyName", default: []]
        return index < names.count ? names[index] : ""
      }
  }

  /// Every driver for USB readers that is installed, ccid's first.
  static func installed() -> [(bundle: String, properties: DriverProperties)] {
    let bundles = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(".bundle") }
      .sorted { $0 == ccidBundle || $1 != ccidBundle && $0 < $1 }
    return bundles.compactMap { bundle -> (bundle: String, properties: DriverProperties)? in
      guard let file = FileHandle(forReadingAtPath: "\(folder)/\(bundle)/Contents/Info.plist"),
        let bytes = try? file.read(upToCount: largest)
      else { return nil }
      return (bundle, DriverProperties(bytes))
    }
  }

  static let ccidBundle = "ifd-ccid.bundle"
  private static let folder = "/usr/lib/pcsc/drivers"
  /// That of libccid has 60 KB.
  private static let largest = 4 << 20

  /// The strings that follow each key. A property list has more to it; pcscd, too, looks for no more than this.
  private static func strings(of file: some Collection<UInt8>) -> [String: [String]] {
    var lists: [String: [String]] = [:]
    var key: String?
    // Each piece is a tag, up to its end, and the text after it.
    for piece in withoutComments(file).split(separator: "<") {
      let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      let text = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
      switch parts[0] {
      case "key": key = text
      case "string": if let key { lists[key, default: []].append(text) }
      default: break
      }
    }
    return lists
  }

  private static func withoutComments(_ file: some Collection<UInt8>) -> String {
    let parts = String(decoding: file, as: UTF8.self).split(separator: "<!--", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      guard index > 0 else { return String(part) }
      // Of a comment that never ends, nothing is left.
      return part.firstRange(of: "-->").map { String(part[$0.upperBound...]) } ?? ""
    }.joined()
  }
}
