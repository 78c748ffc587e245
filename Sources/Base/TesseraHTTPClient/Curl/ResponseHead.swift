import Glibc

/// The status and the headers of a response.
package struct ResponseHead: Sendable {
  package let status: Int
  /// The names are in lower case.
  private var headers: [(name: String, value: String)] = []

  /// - Parameter line: A status line (RFC 9112, 4), without its end.
  /// - Returns: nil for a line that is none, for example if its status has another number of digits than three.
  package init?(statusLine line: String) {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/"), parts[1].utf8.count == 3,
      let status = Self.number(parts[1]), status >= 100
    else { return nil }
    self.status = status
  }

  /// Whether another head follows (RFC 9110, 15.2).
  package var isInterim: Bool { status < 200 }
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
  package mutating func add(_ line: String) {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return }
    let name = line[..<colon].lowercased()
    headers.append((name, Self.trimmed(line[line.index(after: colon)...])))
  }

  /// - Parameter name: In lower case.
  package func first(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// The words of a header that is a list, in lower case (RFC 9110, 5.6.1).
  package func list(_ name: String) -> [String] {
    headers.filter { $0.name == name }.flatMap { $0.value.lowercased().split(separator: ",").map(Self.trimmed) }
  }

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

  /// How long the server wants no request: a number of seconds or a time, which is compared with the server's own clock if
  /// it states one. nil for anything else.
  var retryAfter: Duration? {
    guard let value = first("retry-after") else { return nil }
    if let seconds = Self.number(value[...]) { return .seconds(min(seconds, Self.longestRetry)) }
    guard let end = Self.time(value) else { return nil }
    let begin = first("date").flatMap(Self.time) ?? Glibc.time(nil)
    return .seconds(min(max(end - begin, 0), Self.longestRetry))
  }

  /// A year: longer than any server means.
  private static let longestRetry = 366 * 86_400

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The seconds since 1970 of a time such as `Fri, 31 Dec 1999 23:59:59 GMT` (RFC 9110, 5.6.7). Neither strptime(3) nor
  /// Foundation reads it in every locale.
  private static func time(_ text: String) -> Int? {
    let parts = text.split(whereSeparator: { " :".contains($0) })
    guard parts.count == 8, parts[0].hasSuffix(","), parts[7] == "GMT",
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let numbers = [1, 3, 4, 5, 6].compactMap { number(parts[$0]) }
    guard numbers.count == 5, numbers.allSatisfy({ $0 < 10_000 }) else { return nil }
    var time = tm()
    time.tm_mday = Int32(numbers[0])
    time.tm_mon = Int32(month)
    time.tm_year = Int32(numbers[1]) - 1900
    time.tm_hour = Int32(numbers[2])
    time.tm_min = Int32(numbers[3])
    time.tm_sec = Int32(numbers[4])
    return timegm(&time)
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
