/// The address of a server of a fleet: `nats://host:port` or `tls://host:port`, with the port 4222 if there is none.
package struct FleetAddress: Sendable, Equatable {
  /// A name or an IP address, an IPv6 address without brackets.
  package let host: String
  package let port: UInt16
  package let isEncrypted: Bool

  /// nil for any other text, and for one with a password.
  package init?(_ text: String) {
    guard let scheme = ["nats://", "tls://"].first(where: text.hasPrefix) else { return nil }
    isEncrypted = scheme == "tls://"
    var rest = text.dropFirst(scheme.count)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = String(rest[..<end].dropFirst())
      rest = rest[end...].dropFirst()
    } else {
      host = String(rest.prefix { $0 != ":" })
      rest = rest.drop { $0 != ":" }
    }
    guard !host.isEmpty, host.utf8.allSatisfy(Self.isPlain) else { return nil }
    guard !rest.isEmpty else {
      port = 4222
      return
    }
    guard rest.hasPrefix(":"), rest.dropFirst().utf8.allSatisfy(Self.isDigit), let number = UInt16(rest.dropFirst()),
      number > 0
    else { return nil }
    port = number
  }

  /// Whether it is this machine.
  package var isLoopback: Bool {
    host == "localhost" || host == "::1"
      || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || Self.isDigit($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F
      && ![UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(byte)
  }
}
