/// The headers of a request, each as the line that libcurl expects.
struct HeaderLines {
  private(set) var lines: [String]

  /// The headers of the caller and its entity tag are for the host of the request only.
  ///
  /// - Throws: `HTTPError.invalidResponse` for a header that HTTP does not permit, such as one with a line break.
  init(_ request: HTTPRequest, to address: HTTPSAddress) throws(HTTPError) {
    var headers: [(name: String, value: String)] = [
      ("User-Agent", "tessera"), ("Accept", "*/*"), ("Accept-Encoding", "identity"),
    ]
    if address.hasSameHost(as: request.address) {
      for header in request.headers {
        headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
        headers.append(header)
      }
      if let tag = request.entityTag { headers.append(("If-None-Match", tag)) }
      if case .post(_, let type) = request.method { headers.append(("Content-Type", type)) }
    }
    lines = []
    for header in headers { lines.append(try Self.line(header.name, header.value)) }
    // libcurl would wait for the server's consent before it sends a long body.
    if case .post = request.method { lines.append("Expect:") }
  }

  /// RFC 9110, 5.1 and 5.5.
  private static func line(_ name: String, _ value: String) throws(HTTPError) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy(isNameByte), value.utf8.allSatisfy(isValueByte) else {
      throw .invalidResponse
    }
    // A name with a colon and no value means that libcurl leaves out its own header.
    return value.utf8.allSatisfy(isSpace) ? "\(name);" : "\(name): \(value)"
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func isValueByte(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x20 }
}
