/// The headers of a message, in their order. Names are compared with their case, as the server does.
package struct NATSHeaders: Sendable, Equatable, ExpressibleByArrayLiteral {
  package struct Header: Sendable, Equatable {
    package var name: String
    package var value: String
  }

  package private(set) var headers: [Header] = []

  package init(arrayLiteral headers: (String, String)...) {
    for (name, value) in headers { add(name, value) }
  }

  package var isEmpty: Bool { headers.isEmpty }

  /// The first value of a name.
  package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

  package mutating func add(_ name: String, _ value: String) { headers.append(Header(name: name, value: value)) }

  /// Whether the headers can be sent and arrive unchanged. libnats does not check them: a line end in a value would
  /// begin another header. It drops spaces around a value, and all headers of a message in which a value is empty then.
  var areValid: Bool {
    headers.allSatisfy { header in
      !header.name.isEmpty && header.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        && ![nil, UInt8(ascii: " ")].contains(header.value.utf8.first) && header.value.utf8.last != UInt8(ascii: " ")
        && header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
  }

  /// About the number of bytes that they add to the payload.
  var size: Int {
    guard !isEmpty else { return 0 }
    return headers.reduce("NATS/1.0\r\n\r\n".utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
  }
}
