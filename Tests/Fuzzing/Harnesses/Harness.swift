import SmartCard

/// One thing that reads hostile bytes, driven by libFuzzer.
protocol Harness: SendableMetatype {
  /// What `run` and the corpus folder call it.
  static var name: String { get }

  /// Small inputs that are read to their end, by file name.
  static func seeds() throws -> [String: [UInt8]]

  /// Reads one input. Throwing is fine; trapping and `promise` broken are findings.
  static func test(_ input: [UInt8]) throws
}

let harnesses: [any Harness.Type] = [
  MRZHarness.self, TLVHarness.self, APDUHarness.self, FilesHarness.self, FacesHarness.self, BiometricsHarness.self,
  DetailsHarness.self, ImageHeadersHarness.self, PicturesHarness.self, SecurityObjectHarness.self,
  SecurityInfosHarness.self, EvidenceHarness.self, CertificatesHarness.self, SecureMessagingHarness.self,
  ChipHarness.self, InspectionHarness.self,
]

/// What must hold whatever the input was.
func promise(_ holds: Bool, _ what: @autoclosure () -> String) {
  guard holds else { fatalError("broken promise: \(what())") }
}

/// An input cut into parts. What is missing reads as zero and as nothing.
struct Parts {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

  /// The next of these by one byte.
  mutating func choice<Element>(_ elements: [Element]) -> Element { elements[byte() % elements.count] }

  /// Two bytes of length and as many bytes, or those that are there.
  mutating func piece() -> [UInt8] {
    let count = byte() << 8 | byte()
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func all() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// What `piece` reads as these bytes.
  static func piece(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
  }
}

extension [UInt8] {
  /// Bytes of literal digits.
  static func digits(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }
}
