import TesseraBridge

/// A place in a text, as people count: from 1.
public struct DocumentPosition: Sendable, Equatable {
  public var line: Int
  /// In characters.
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place of a byte.
  public init(offset: Int, in text: [UInt8]) {
    let before = text[..<max(0, min(offset, text.count))]
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    // Bytes that continue a character do not count.
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
  }

  /// The place of a value in a JSON text. A part of the path that does not exist leads to the value around it.
  ///
  /// - Parameter text: valid JSON, as `OnboardingData` has parsed it.
  public init(of path: [FlowProblem.Step], in text: [UInt8]) {
    var scanner = JSONScanner(text)
    self.init(offset: scanner.offset(of: path), in: text)
  }
}

/// Goes through a JSON text that was parsed before, to find the place of a value.
private struct JSONScanner {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  private var byte: UInt8? { position < text.count ? text[position] : nil }

  mutating func offset(of path: [FlowProblem.Step]) -> Int {
    skipSpace()
    for step in path {
      let around = position
      guard enter(step) else { return around }
    }
    return position
  }

  /// Goes to a part of the value that begins here. Of several members with one name the last one counts, as for the
  /// parser.
  ///
  /// - Returns: whether there is one.
  private mutating func enter(_ step: FlowProblem.Step) -> Bool {
    var found: Int?
    switch step {
    case .member(let name):
      guard byte == UInt8(ascii: "{") else { return false }
      position += 1
      while true {
        skipSpace()
        guard byte == UInt8(ascii: "\"") else { break }
        let start = position
        skipString()
        let isName = Self.text(of: text[start..<position]) == name
        skipSpace()
        guard byte == UInt8(ascii: ":") else { break }
        position += 1
        skipSpace()
        if isName { found = position }
        skipValue()
        skipSpace()
        guard byte == UInt8(ascii: ",") else { break }
        position += 1
      }
    case .element(let index):
      guard byte == UInt8(ascii: "[") else { return false }
      position += 1
      var count = 0
      while found == nil {
        skipSpace()
        guard let byte, byte != UInt8(ascii: "]") else { break }
        if count == index { found = position }
        skipValue()
        skipSpace()
        guard self.byte == UInt8(ascii: ",") else { break }
        position += 1
        count += 1
      }
    }
    if let found { position = found }
    return found != nil
  }

  private mutating func skipSpace() {
    while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func skipString() {
    position += 1
    while let byte {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return }
    }
  }

  /// Ends at the comma or the bracket after the value, or at its last byte.
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

  /// The text of a string with its quotation marks.
  private static func text(of string: ArraySlice<UInt8>) -> String? {
    (try? JSONValue(text: String(decoding: string, as: UTF8.self)))?.stringValue
  }
}
