/// The names of the members of an object of JSON, without those of objects inside it. Reads over the text once and
/// checks no more than it needs, so that a damaged object is named, too; who reads the seal is strict.
enum JSONMembers {
  /// - Returns: the first 16 names; empty if the text does not begin with an object. Escapes are left as they are.
  static func names(_ bytes: [UInt8]) -> Set<String> {
    guard let start = start(of: bytes) else { return [] }
    var names: Set<String> = []
    var depth = 0
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        let end = endOfString(bytes, index)
        if depth == 1, isFollowedByColon(bytes, end) {
          names.insert(String(decoding: bytes[index + 1..<end], as: UTF8.self))
        }
        index = end
      default: break
      }
      if depth == 0 || names.count == 16 { break }
      index += 1
    }
    return names
  }

  /// The index of the object's brace. Files can begin with a byte order mark.
  private static func start(of bytes: [UInt8]) -> Int? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let first = bytes.indices.dropFirst(bytes.starts(with: mark) ? mark.count : 0).first { !isSpace(bytes[$0]) }
    return first.flatMap { bytes[$0] == UInt8(ascii: "{") ? $0 : nil }
  }

  /// The index of the quotation mark that ends the string; the end of the text if there is none.
  private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, bytes.count)
  }

  private static func isFollowedByColon(_ bytes: [UInt8], _ quote: Int) -> Bool {
    bytes.dropFirst(quote + 1).first { !isSpace($0) } == UInt8(ascii: ":")
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
