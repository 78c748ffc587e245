/// The status and the headers of a response.
struct ResponseHead: Sendable {
  let status: Int
  /// The names are in lower case.
  private var headers: [(name: String, value: String)] = []

  /// - Parameter line: A status line (RFC 9112, 4), without its end.
  /// - Returns: nil for a line that is none, for example if its status has another number of digits than three.
  init?(statusLine line: String) {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/"), parts[1].utf8.count == 3,
      let status = Self.number(parts[1]), status >= 100
    else { return nil }
    self.status = status
  }

  /// Whether another head follows (RFC 9110, 15.2).
  var isInterim: Bool { status < 200 }
  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
  var isError: Bool { status >= 400 }

  /// Whether the body has no other end than that of the connection (RFC 9112, 6.3).
  var endsWithConnection: Bool {
    ![204, 304].contains(status) && first("content-length") == nil && !isChunked
  }

  /// libcurl reads pieces wherever this word stands.
  private var isChunked: Bool {
    headers.contains { header in
      header.name == "transfer-encoding"
        && header.value.lowercased().split(separator: ",").contains { Self.trimmed($0) == "chunked" }
    }
  }

  /// - Parameter line: A header, without its end. A line without a name continues the one before; none of those that
  ///   are needed has several lines.
  mutating func add(_ line: String) {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return }
    let name = line[..<colon].lowercased()
    headers.append((name, Self.trimmed(line[line.index(after: colon)...])))
  }

  /// - Parameter name: In lower case.
  func first(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// The number of bytes that the server states; nil if it states none.
  ///
  /// - Throws: `HTTPError.invalidResponse` for a header that is no number, for two that differ, and beside another
  ///   header that says where the body ends.
  func contentLength() throws(HTTPError) -> Int? {
    let values = headers.filter { $0.name == "content-length" }.map(\.value)
    guard let value = values.first else { return nil }
    guard let length = Self.number(value[...]), values.allSatisfy({ $0 == value }), first("transfer-encoding") == nil
    else { throw .invalidResponse }
    return length
  }

  /// `Int` accepts a sign.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
  }

  private static func trimmed(_ text: Substring) -> String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    var rest = text.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return String(rest)
  }
}
