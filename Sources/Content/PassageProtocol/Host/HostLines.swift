package import TesseraJSON

/// Cuts the bytes of a socket into lines of JSON.
package struct HostLines: Sendable {
  /// The longest line, in bytes. What a third party's page holds may be large, for example in an answer.
  package static let maximumLength = 32 << 20

  /// One line.
  package struct Line: Sendable {
    package let value: JSONValue
    /// In bytes.
    package let length: Int
  }

  private var line: [UInt8] = []

  package init() {}

  /// Takes what the socket delivered, and returns all lines that are complete now. Empty lines are
  /// skipped.
  ///
  /// - Throws: `HostMessageError` if a line is too long or not JSON. The socket is of no use then.
  package mutating func receive(_ bytes: some Collection<UInt8>) throws(HostMessageError) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try append(rest[..<end])
      if !line.isEmpty { lines.append(Line(value: try Self.value(line), length: line.count)) }
      line.removeAll(keepingCapacity: line.count <= 65_536)
      rest = rest[rest.index(after: end)...]
    }
    try append(rest)
    return lines
  }

  /// The line of a value, with its end.
  package static func line(_ json: JSONValue) -> [UInt8] { Array(json.text.utf8) + [UInt8(ascii: "\n")] }

  private mutating func append(_ bytes: some Collection<UInt8>) throws(HostMessageError) {
    guard line.count + bytes.count <= Self.maximumLength else { throw .lineTooLong }
    line.append(contentsOf: bytes)
  }

  private static func value(_ line: [UInt8]) throws(HostMessageError) -> JSONValue {
    guard let text = String(validating: line, as: UTF8.self), let value = try? JSONValue(text: text) else {
      throw .notJSON
    }
    return value
  }
}
