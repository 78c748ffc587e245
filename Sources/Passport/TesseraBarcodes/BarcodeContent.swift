/// What the bytes of a symbol are, by their beginning. Only the three kinds of seals are examined further; the others
/// are named, so that the user knows why nothing is verified.
public enum BarcodeContent: String, Sendable, CaseIterable {
  /// A visible digital seal (Doc 9303-13).
  case visibleDigitalSeal
  /// A visible digital seal for non-constrained environments (ICAO TR VDS-NC).
  case vdsNC
  /// ICAO's datastructure for barcodes.
  case icaoBarcode
  /// A French 2D-Doc (ANTS, 2D-Doc specifications).
  case twoDDoc
  /// A driving licence of North America (AAMVA DL/ID card design standard, annex D).
  case aamva
  /// A digital COVID certificate of the EU.
  case euHealthCertificate
  /// A boarding pass (IATA resolution 792).
  case boardingPass
  /// None of the others.
  case unknown

  /// - Parameter bytes: the content of a symbol, as it was read or as it came in a file.
  public init(_ bytes: [UInt8]) {
    switch bytes {
    case _ where bytes.first == 0xDC: self = .visibleDigitalSeal
    case _ where Self.identifiers.contains(String(decoding: bytes.prefix(4), as: UTF8.self).uppercased()):
      self = .icaoBarcode
    case _ where bytes.starts(with: "HC1:".utf8): self = .euHealthCertificate
    case _ where Self.isTwoDDoc(bytes): self = .twoDDoc
    case _ where Self.isAAMVA(bytes): self = .aamva
    case _ where Self.isBoardingPass(bytes): self = .boardingPass
    case _ where JSONMembers.names(bytes).isSuperset(of: ["data", "sig"]): self = .vdsNC
    default: self = .unknown
    }
  }

  /// Whether it is one of the kinds that a country signs for travel documents.
  public var isSeal: Bool {
    switch self {
    case .visibleDigitalSeal, .vdsNC, .icaoBarcode: true
    case .twoDDoc, .aamva, .euHealthCertificate, .boardingPass, .unknown: false
    }
  }

  /// What it is, with an article, for example "a boarding pass".
  public var name: String {
    switch self {
    case .visibleDigitalSeal: "a visible digital seal"
    case .vdsNC: "a seal of the kind VDS-NC"
    case .icaoBarcode: "a barcode of ICAO's datastructure"
    case .twoDDoc: "a French 2D-Doc"
    case .aamva: "a North American driving licence"
    case .euHealthCertificate: "a health certificate of the EU"
    case .boardingPass: "a boarding pass"
    case .unknown: "a barcode of an unknown kind"
    }
  }

  /// `RDB1` since November 2025, `NDB1` before; `IDB1` occurs in the field. Small letters are a fault of the barcode, which
  /// its report names.
  private static let identifiers = ["RDB1", "NDB1", "IDB1"]

  /// "DC" and two digits, the version.
  private static func isTwoDDoc(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "DC".utf8) && bytes.count > 4 && bytes[2...3].allSatisfy(isDigit)
  }

  /// "@", separators, and the name of the file type.
  private static func isAAMVA(_ bytes: [UInt8]) -> Bool {
    guard bytes.first == UInt8(ascii: "@") else { return false }
    let rest = bytes.dropFirst().drop { $0 < 0x20 }.prefix(5)
    return rest.elementsEqual("ANSI ".utf8) || rest.elementsEqual("AAMVA".utf8)
  }

  /// "M", the number of flights, and the name of the passenger; the mandatory items have 60 characters.
  private static func isBoardingPass(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 60, bytes[0] == UInt8(ascii: "M"), (0x31...0x39).contains(bytes[1]) else { return false }
    return bytes[2..<22].allSatisfy { (0x20...0x7E).contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// The names of the members of an object of JSON, without those of objects inside it. Reads over the text once and
/// checks no more than it needs, so that a damaged object is named, too; who reads the seal is strict.
enum JSONMembers {
  /// - Returns: the first 16 names; empty if the text does not begin with an object. Escapes are left as they are.
  static func names(_ bytes: [UInt8]) -> Set<String> {
    guard let start = start(of: bytes) else { return [] }
    return scan(bytes, from: start, mostNames: 16).names
  }

  /// Whether the object is closed, and nothing but space and the bracket of an array follows.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard let start = start(of: bytes) else { return false }
    let end = scan(bytes, from: start, mostNames: 0).end
    return end < bytes.count && bytes[(end + 1)...].allSatisfy { isSpace($0) || $0 == UInt8(ascii: "]") }
  }

  /// - Returns: the names, and the index of the brace that closes the object, or the number of bytes if none does.
  private static func scan(_ bytes: [UInt8], from start: Int, mostNames: Int) -> (names: Set<String>, end: Int) {
    var names: Set<String> = []
    var depth = 0
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        let end = endOfString(bytes, index)
        if depth == 1, mostNames > 0, isFollowedByColon(bytes, end) {
          names.insert(String(decoding: bytes[index + 1..<end], as: UTF8.self))
        }
        index = end
      default: break
      }
      if depth == 0 || (mostNames > 0 && names.count == mostNames) { break }
      index += 1
    }
    return (names, index)
  }

  /// The index of the object's brace. Files can begin with a byte order mark, and some issuers put an array around a
  /// seal.
  private static func start(of bytes: [UInt8]) -> Int? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    func first(from start: Int) -> Int? { bytes.indices.dropFirst(start).first { !isSpace(bytes[$0]) } }
    var start = first(from: bytes.starts(with: mark) ? mark.count : 0)
    if let bracket = start, bytes[bracket] == UInt8(ascii: "[") { start = first(from: bracket + 1) }
    return start.flatMap { bytes[$0] == UInt8(ascii: "{") ? $0 : nil }
  }

  /// The index of the quotation mark that ends the string; the end of the text if there is none.
  private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, bytes.count)
  }

  private static func isFollowedByColon(_ bytes: [UInt8], _ quote: Int) -> Bool {
    bytes.dropFirst(quote + 1).first { !isSpace($0) } == UInt8(ascii: ":")
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

extension Barcode {
  /// Whether the content is a whole seal, as far as its beginning, its end and its characters tell. `content` names by the
  /// beginning alone, so that a damaged seal is named, too; a search must not end with what only begins like a seal.
  ///
  /// A seal of a version that is not known yet is none here: it is found all the same, and takes a longer search.
  package var isWholeSeal: Bool {
    switch content {
    case .visibleDigitalSeal: Self.isWholeVDS(bytes)
    case .icaoBarcode: Self.isWholeIDB(bytes)
    case .vdsNC: JSONMembers.isWhole(bytes)
    case .twoDDoc, .aamva, .euHealthCertificate, .boardingPass, .unknown: false
    }
  }

  /// A version that is known or occurs (1 to 4), and room for the header and a signature's tag and length (Doc 9303-13).
  private static func isWholeVDS(_ bytes: [UInt8]) -> Bool { bytes.count >= 18 + 2 && bytes[1] <= 3 }

  /// A flag and Base32 of the country and one message's tag and length. Texts of other kinds have spaces and small letters.
  private static func isWholeIDB(_ bytes: [UInt8]) -> Bool {
    // Eight characters are five bytes.
    guard bytes.count >= 5 + 7, (UInt8(ascii: "A")...UInt8(ascii: "D")).contains(bytes[4]) else { return false }
    guard bytes[..<4].allSatisfy({ !(0x61...0x7A).contains($0) }) else { return false }
    return bytes[5...].allSatisfy { (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }
  }
}
