internal import TesseraCore

/// The address of a server: `nats://host:port`, or `tls://host:port` to insist on TLS. The port is 4222 if none is
/// stated.
package struct NATSServerAddress: Sendable, Equatable, CustomStringConvertible {
  package let isTLS: Bool
  /// A name or a numeric address; IPv6 without brackets.
  package let host: String
  package let port: Int

  package init(host: String, port: Int, isTLS: Bool = false) {
    self.host = host
    self.port = port
    self.isTLS = isTLS
  }

  /// - Throws: `Failure` of the kind `usage`.
  package init(_ text: String) throws {
    var rest = text[...]
    isTLS = rest.hasPrefix("tls://")
    if let scheme = ["nats://", "tls://"].first(where: { rest.hasPrefix($0) }) {
      rest = rest.dropFirst(scheme.count)
    } else if rest.contains("://") {
      throw Self.refusal("The address of a NATS server begins with nats:// or tls://.")
    }
    if rest.contains("@") {
      throw Failure(
        .usage,
        "The address of a NATS server contains a user or a password, which other users of this machine can see.",
        remedy: "Leave it out, and name a file with the seed of the user's key.")
    }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    var name = rest
    var number: Substring?
    if rest.first == "[", let end = rest.firstIndex(of: "]") {
      name = rest[rest.index(after: rest.startIndex)..<end]
      let after = rest[rest.index(after: end)...]
      guard after.isEmpty || after.first == ":" else {
        throw Self.refusal("The address of a NATS server is malformed.")
      }
      number = after.isEmpty ? nil : after.dropFirst()
    } else if let colon = rest.lastIndex(of: ":") {
      name = rest[..<colon]
      number = rest[rest.index(after: colon)...]
    }
    let isName = !name.isEmpty && name.utf8.count <= 253 && name.utf8.allSatisfy(Self.isHostByte)
    guard isName, let port = number.map({ Int($0) ?? 0 }) ?? Self.standardPort, (1...65_535).contains(port) else {
      throw Self.refusal("The address of a NATS server is malformed.")
    }
    host = String(name)
    self.port = port
  }

  /// The addresses in a list that commas separate.
  ///
  /// - Throws: `Failure` of the kind `usage`.
  package static func list(_ text: String) throws -> [NATSServerAddress] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { try NATSServerAddress(String($0)) }
  }

  package var description: String {
    "\(isTLS ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  private static let standardPort: Int? = 4222

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func refusal(_ cause: String) -> Failure {
    Failure(.usage, cause, remedy: "Write it as nats://host:4222, or tls://host:4222.")
  }
}
