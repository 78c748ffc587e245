import TesseraBridge

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
  static func positions(of offsets: [Int], in text: [UInt8]) -> [DocumentPosition] {
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
  /// - Parameter text: valid JSON, as `OnboardingData` has parsed it.
  static func positions(of paths: [[FlowProblem.Step]], in text: [UInt8]) -> [DocumentPosition] {
    var locator = JSONLocator(text, count: paths.count)
    locator.locate(paths.enumerated().map { ($0, $1[...]) })
    return positions(of: locator.offsets, in: text)
  }
}

/// Goes through a JSON text that was parsed before, to find the places of values.
private struct JSONLocator {
  /// The rest of a path from a value, and the number of the path.
  typealias Wanted = (number: Int, rest: ArraySlice<FlowProblem.Step>)

  private(set) var offsets: [Int]
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8], count: Int) {
    self.text = text
    offsets = [Int](repeating: 0, count: count)
  }

  private var byte: UInt8? { position < text.count ? text[position] : nil }

  /// Finds values in the value that begins here, and goes to its end. The depth is that of the paths.
  mutating func locate(_ wanted: [Wanted]) {
    skipSpace()
    for one in wanted { offsets[one.number] = position }
    let deeper = wanted.filter { !$0.rest.isEmpty }
    guard !deeper.isEmpty else { return skipValue() }
    switch byte {
    case UInt8(ascii: "{"):
      locateMembers(Dictionary(grouping: deeper) { if case .member(let name)? = $0.rest.first { name } else { "" } })
    case UInt8(ascii: "["):
      locateElements(
        Dictionary(grouping: deeper) { if case .element(let index)? = $0.rest.first { index } else { -1 } })
    default: skipValue()
    }
  }

  /// Of several members with one name the last one counts, as for the parser.
  private mutating func locateMembers(_ wanted: [String: [Wanted]]) {
    position += 1
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { break }
      let start = position
      skipString()
      let found = wanted[Self.text(of: text[start..<position]) ?? ""]
      skipSpace()
      guard byte == UInt8(ascii: ":") else { break }
      position += 1
      locateNext(found)
      guard byte == UInt8(ascii: ",") else { break }
      position += 1
    }
    skipByte(UInt8(ascii: "}"))
  }

  private mutating func locateElements(_ wanted: [Int: [Wanted]]) {
    position += 1
    var index = 0
    while true {
      skipSpace()
      guard let byte, byte != UInt8(ascii: "]") else { break }
      locateNext(wanted[index])
      guard self.byte == UInt8(ascii: ",") else { break }
      position += 1
      index += 1
    }
    skipByte(UInt8(ascii: "]"))
  }

  private mutating func locateNext(_ wanted: [Wanted]?) {
    if let wanted {
      locate(wanted.map { ($0.number, $0.rest.dropFirst()) })
    } else {
      skipSpace()
      skipValue()
    }
    skipSpace()
  }

  private mutating func skipByte(_ expected: UInt8) { if byte == expected { position += 1 } }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func skipString() {
    position += 1
    while let byte {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return }
    }
  }

  /// Ends at the comma or the bracket after the value, or after its last byte.
  private mutating func skipValue() {
    var depth = 0
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        skipString()
        if depth == 0 { return }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return }
        depth -= 1
        if depth == 0 {
          position += 1
          return
        }
      case UInt8(ascii: ",") where depth == 0: return
      default: break
      }
      position += 1
    }
  }

  /// The text of a string with its quotation marks. Most names have no escapes.
  private static func text(of string: ArraySlice<UInt8>) -> String? {
    guard string.contains(UInt8(ascii: "\\")) else {
      return String(decoding: string.dropFirst().dropLast(), as: UTF8.self)
    }
    return (try? JSONValue(text: String(decoding: string, as: UTF8.self)))?.stringValue
  }
}
