import SmartCard

/// A data group whose content the Doc leaves to issuers or to the future: DG6, DG8 to DG10 and DG13. Kept as it came.
public struct UnstructuredGroup: Sendable, Equatable {
  public let number: Int
  /// What stands in the data object that fills the file.
  public var content: [UInt8]

  /// nil where `number` is none of these.
  public init?(number: Int, content: [UInt8]) {
    guard Self.numbers.contains(number) else { return nil }
    self.number = number
    self.content = content
  }

  public static let numbers: Set<Int> = [6, 8, 9, 10, 13]

  /// - Throws: the finding that makes the file unreadable.
  public init(_ file: ElementaryFile, _ bytes: [UInt8]) throws(FileFinding) {
    guard let number = file.dataGroup, Self.numbers.contains(number) else {
      throw FileFinding(file, "its number", .unknown)
    }
    self.number = number
    content = Array(try FileElement(file, bytes).value)
  }

  public var encoded: [UInt8] {
    ElementaryFile.dataGroup(number).map { BERTLV.encode($0.tag, content) } ?? []
  }
}
