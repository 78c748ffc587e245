import TesseraJSON

/// Goes through a JSON text that was parsed before, to find the places of values.
struct JSONLocator {
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
      locateMembers(
        Dictionary(grouping: deeper) {
          if case .member(let name)? = $0.rest.first { UTF8Text(name) } else { UTF8Text("") }
        })
    case UInt8(ascii: "["):
      locateElements(
        Dictionary(grouping: deeper) { if case .element(let index)? = $0.rest.first { index } else { -1 } })
    default: skipValue()
    }
  }

  /// Of several members with one name the last one counts, as for the parser.
  private mutating func locateMembers(_ wanted: [UTF8Text: [Wanted]]) {
    position += 1
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { break }
      let start = position
      skipString()
      let found = wanted[UTF8Text(Self.text(of: text[start..<position]) ?? "")]
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
