import TesseraSmartCard

/// DG5 and DG7: portraits, and signatures or usual marks, as printed on the document (Doc 9303-10, 4.7.5 and 4.7.7).
public struct DisplayedImages: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case portrait
    case signatureOrMark

    var file: ElementaryFile { self == .portrait ? .dg5 : .dg7 }
    fileprivate var tag: UInt32 { self == .portrait ? 0x5F40 : 0x5F43 }
    fileprivate var name: String { self == .portrait ? "displayed portrait" : "displayed signature or mark" }
  }

  public let kind: Kind
  /// The image files as stored on the chip.
  public var images: [[UInt8]]
  /// The inconsistencies in the file. Empty for a group that was created in memory.
  public private(set) var findings: [FileFinding] = []

  package init(_ kind: Kind, images: [[UInt8]]) {
    self.kind = kind
    self.images = images
  }

  /// - Throws: the finding that makes the file unreadable.
  public init(_ kind: Kind, _ file: [UInt8]) throws(FileFinding) {
    self.kind = kind
    let element = try FileElement(kind.file, file)
    let parts = try element.parts()
    let elements = parts.all(kind.tag, kind.name)
    guard !elements.isEmpty else { throw element.finding(kind.name, .missing) }
    images = elements.map { Array($0.value) }
    findings = parts.countFindings("number of instances", found: images.count)
    for (element, image) in zip(elements, images) {
      findings += StatedImageProperties(element: element).findings(image)
    }
  }

  static func portraits(_ file: [UInt8]) throws(FileFinding) -> DisplayedImages { try DisplayedImages(.portrait, file) }

  static func signatures(_ file: [UInt8]) throws(FileFinding) -> DisplayedImages {
    try DisplayedImages(.signatureOrMark, file)
  }

  package var encoded: [UInt8] {
    let count = BERTLV.encode(0x02, [UInt8(clamping: images.count)])
    return BERTLV.encode(kind.file.tag, count + images.flatMap { BERTLV.encode(kind.tag, $0) })
  }
}

extension LogicalDataStructure {
  public var dataGroup5: Result<DisplayedImages, FileFinding>? { dataGroup(5) }
  public var dataGroup7: Result<DisplayedImages, FileFinding>? { dataGroup(7) }
}
