/// A place in a text, as people count: from 1.
public struct DocumentPosition: Sendable, Equatable, Comparable {
  public var line: Int
  /// In characters.
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (left: DocumentPosition, right: DocumentPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The places of bytes.
  package static func positions(of offsets: [Int], in text: [UInt8]) -> [DocumentPosition] {
    var positions = [DocumentPosition](repeating: DocumentPosition(line: 1, column: 1), count: offsets.count)
    var position = DocumentPosition(line: 1, column: 1)
    var read = 0
    for index in offsets.indices.sorted(by: { offsets[$0] < offsets[$1] }) {
      while read < min(offsets[index], text.count) {
        if text[read] == UInt8(ascii: "\n") {
          position = DocumentPosition(line: position.line + 1, column: 1)
        } else if text[read] & 0xC0 != 0x80 {
          // Bytes that continue a character do not count.
          position.column += 1
        }
        read += 1
      }
      positions[index] = position
    }
    return positions
  }

  /// The places of values in a JSON text, in one pass. A part of a path that does not exist leads to the value around it.
  ///
  /// - Parameter text: valid JSON, as the decoder has parsed it.
  package static func positions(of paths: [[FlowProblem.Step]], in text: [UInt8]) -> [DocumentPosition] {
    var locator = JSONLocator(text, count: paths.count)
    locator.locate(paths.enumerated().map { ($0, $1[...]) })
    return positions(of: locator.offsets, in: text)
  }
}
