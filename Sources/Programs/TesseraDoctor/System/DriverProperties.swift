import FoundationEssentials

/// The properties of a reader driver in its bundle's `Info.plist`: the USB readers that it supports.
///
/// Source: pcsc-lite's IFD handler specification, "Info.plist". The lists of vendors, products and names are parallel.
struct DriverProperties {
  private let lists: [String: [String]]

  /// - Parameter file: a property list in XML. The readable part of a damaged one is used.
  init(_ file: some Collection<UInt8>) { lists = Self.strings(of: file) }

  /// The name under which pcscd lists a reader of this kind; nil if the driver does not support it.
  func readerName(_ identity: USBIdentity) -> String? {
    zip(lists["ifdVendorID", default: []], lists["ifdProductID", default: []]).enumerated()
      .first { USBIdentity(vendor: $1.0, product: $1.1) == identity }
      .map { index, _ in
        let names = lists["ifdFriendlyName", default: []]
        return index < names.count ? names[index] : ""
      }
  }

  /// The installed drivers for USB readers, the CCID driver first.
  static func installed() -> [(bundle: String, properties: DriverProperties)] {
    let bundles = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(".bundle") }
      .sorted { $0 == ccidBundle || $1 != ccidBundle && $0 < $1 }
    return bundles.compactMap { bundle -> (bundle: String, properties: DriverProperties)? in
      FileManager.default.contents(atPath: "\(folder)/\(bundle)/Contents/Info.plist").map {
        (bundle, DriverProperties($0.prefix(largest)))
      }
    }
  }

  static let ccidBundle = "ifd-ccid.bundle"
  private static let folder = "/usr/lib/pcsc/drivers"
  /// The file of libccid has 60 KB.
  private static let largest = 4 << 20

  /// The strings after each key. pcscd parses no more of a property list either.
  private static func strings(of file: some Collection<UInt8>) -> [String: [String]] {
    var lists: [String: [String]] = [:]
    var key: String?
    // Each piece is a tag and the text after it.
    for piece in withoutComments(file).split(separator: "<") {
      let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      let text = String(parts[1].trimming(while: \.isWhitespace))
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
      // An unterminated comment extends to the end.
      return part.firstRange(of: "-->").map { String(part[$0.upperBound...]) } ?? ""
    }.joined()
  }
}
