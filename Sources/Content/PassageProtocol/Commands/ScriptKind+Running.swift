extension AutomationCommand.ScriptKind {
  /// The longest script, in bytes.
  static let longestScript = 1 << 20

  /// How long the command may take until its script has a result (3.5).
  var timeLimit: Duration { self == .wait ? .seconds(60) : .seconds(30) }

  /// How the result of the script comes: as a message if the script sends messages and is one that goes on after its
  /// end, otherwise as its value.
  func mode(of script: String) -> ScriptRun.Mode {
    guard script.hasBytes(containing: "passage.postMessage") else { return .value }
    return self == .wait || Self.isAsynchronous(script) ? .message : .value
  }

  /// Whether the text has an async function: the word `async` before `function`, a parenthesis or a parameter.
  private static func isAsynchronous(_ script: String) -> Bool {
    let bytes = Array(script.utf8)
    let word = Array("async".utf8)
    func isNameByte(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        || Unicode.Scalar(byte).properties.isAlphabetic || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
    var index = 0
    while index + word.count < bytes.count {
      defer { index += 1 }
      guard bytes[index] == word[0], bytes[index..<(index + word.count)].elementsEqual(word),
        index == 0 || !isNameByte(bytes[index - 1]) && bytes[index - 1] != UInt8(ascii: ".")
      else { continue }
      let rest = bytes[(index + word.count)...]
      let next = rest.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
      if next == UInt8(ascii: "(") { return true }
      // `async function`, `async x => …`, `async name() {…}`.
      if let first = rest.first, !isNameByte(first), let next, isNameByte(next) || next == UInt8(ascii: "*") {
        return true
      }
    }
    return false
  }
}
