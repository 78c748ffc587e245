import TesseraSmartCard

/// A fuzz target: a parser of hostile bytes.
protocol Harness: SendableMetatype {
  /// The name for `Tests/Passport/Fuzzing/run` and the corpus folder.
  static var name: String { get }

  /// Small valid inputs by file name.
  static func seeds() throws -> [String: [UInt8]]

  /// Tests one input. A thrown error is valid; a trap and a violated `property` are findings.
  static func test(_ input: [UInt8]) throws
}

let harnesses: [any Harness.Type] = [
  MRZHarness.self, TLVHarness.self, APDUHarness.self, FilesHarness.self, FacesHarness.self, BiometricsHarness.self,
  DetailsHarness.self, ImageHeadersHarness.self, PicturesHarness.self, SecurityObjectHarness.self,
  SecurityInfosHarness.self, EvidenceHarness.self, CertificatesHarness.self, SecureMessagingHarness.self,
  ChipHarness.self, InspectionHarness.self, TrustHarness.self, DumpHarness.self, ZonesHarness.self, FramesHarness.self,
  SealsHarness.self, CanonicalHarness.self,
]

/// A property that must be true for every input.
func property(_ isTrue: Bool, _ what: @autoclosure () -> String) {
  guard isTrue else { fatalError("property violated: \(what())") }
}

/// Parses an input into parts. Missing bytes read as zero, and missing parts as empty.
struct Parts {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

  /// Selects an element by one byte.
  mutating func choice<Element>(_ elements: [Element]) -> Element { elements[byte() % elements.count] }

  /// Reads two bytes of length and as many bytes, or the remaining ones.
  mutating func piece() -> [UInt8] {
    let count = byte() << 8 | byte()
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// The encoding that `piece` reads.
  static func piece(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
  }
}

extension [UInt8] {
  /// Bytes of literal digits.
  static func digits(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }
}
