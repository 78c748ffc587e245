import TesseraSmartCard

/// A data group whose content Doc 9303 leaves to issuers or reserves: DG6, DG8 to DG10 and DG13. Stored unparsed.
package struct UnstructuredGroup: Sendable, Equatable {
  package let number: Int
  /// The content of the data object that fills the file.
  package var content: [UInt8]

  /// nil if `number` is not one of these groups.
  package init?(number: Int, content: [UInt8]) {
    guard Self.numbers.contains(number) else { return nil }
    self.number = number
    self.content = content
  }

  package static let numbers = Set(
    ElementaryFile.dataGroupNumbers.filter { DataGroupKind.all[$0 - 1].parse == nil })

  /// - Throws: the finding that makes the file unreadable.
  package init(_ file: ElementaryFile, _ bytes: [UInt8]) throws(FileFinding) {
    guard let number = file.dataGroup, Self.numbers.contains(number) else {
      throw FileFinding(file, "its number", .unknown)
    }
    self.number = number
    content = Array(try FileElement(file, bytes).value)
  }

  package var encoded: [UInt8] {
    ElementaryFile.dataGroup(number).map { BERTLV.encode($0.tag, content) } ?? []
  }
}
