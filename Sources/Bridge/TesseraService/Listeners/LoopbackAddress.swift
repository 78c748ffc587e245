import Glibc
public import TesseraCore

/// A loopback address for the WebSocket: `127.0.0.1:PORT` or `[::1]:PORT`. Port 0 selects a free port.
public struct LoopbackAddress: Sendable, Equatable {
  /// The IP address, without brackets.
  public let host: String
  public let port: UInt16

  /// - Throws: `Failure` of the kind `usage` for every other address, since other machines must not reach the service.
  public init(_ text: String) throws(Failure) {
    let refusal = Failure(
      .usage, "The WebSocket is served on loopback addresses only.",
      remedy: "Specify a loopback address with a port, for example 127.0.0.1:8484.")
    guard let colon = text.lastIndex(of: ":") else { throw refusal }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = UInt16(digits)
    else { throw refusal }
    let name = text[..<colon]
    if name == "[::1]" {
      host = "::1"
    } else {
      var address = in_addr()
      guard inet_pton(AF_INET, String(name), &address) == 1, UInt32(bigEndian: address.s_addr) >> 24 == 127 else {
        throw refusal
      }
      host = String(name)
    }
    self.port = port
  }

  /// The values of the Host header that name this address and port (RFC 9110, 7.2).
  static func hostHeaders(_ host: String, port: Int) -> Set<String> {
    var names: Set<String> = [host.contains(":") ? "[\(host)]" : host]
    if host == "127.0.0.1" || host == "::1" { names.insert("localhost") }
    return Set(names.map { "\($0):\(port)" } + (port == 80 ? Array(names) : []))
  }
}
