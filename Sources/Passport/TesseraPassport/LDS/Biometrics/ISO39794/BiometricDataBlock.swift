import TesseraSmartCard

/// The outer structure common to ISO/IEC 39794-4, -5 and -6: an application tag, a version, and representations.
struct BiometricDataBlock {
  let version: FormatVersion
  let representations: [FileElement]

  /// - Parameter tag: the application tag of that part of the standard.
  init(_ element: FileElement, tag: UInt32, name: String) throws(FileFinding) {
    // In DG2 to DG4 the block is in an object A1, the standardised biometric data of ISO/IEC 7816-11.
    var parts = try element.parts()
    if let wrapped = parts.first(0xA1, name) { parts = FileParts(owner: element, objects: try wrapped.parts().objects) }
    let fields = try ContextFields(try parts.required(tag, name))
    version = try fields.required("version block", fields.block(0, "version block"))
    representations = try fields.required("representation blocks", fields.list(1, "representation"))
    guard !representations.isEmpty else { throw fields.element.finding("representation blocks", .missing) }
  }
}

/// The version of a part of the standard. Generation 3 is the first edition.
public struct FormatVersion: ISO39794Block {
  public var generation: Int
  public var year: Int

  package init(generation: Int = 3, year: Int = 2019) {
    self.generation = generation
    self.year = year
  }

  init(_ fields: ContextFields) throws(FileFinding) {
    generation = try fields.required("generation", fields.integer(0, "generation"))
    year = try fields.required("year", fields.integer(1, "year"))
  }

  func write(_ writer: inout ContextWriter) {
    writer.integer(0, generation)
    writer.integer(1, year)
  }
}
