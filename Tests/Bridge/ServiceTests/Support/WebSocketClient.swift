import Foundation
import TesseraBridge
import TesseraCore
import TesseraThreads

/// A minimal WebSocket client (RFC 6455) for the tests. It can also violate the protocol.
final class WebSocketClient: Sendable {
  struct Refused: Error, CustomStringConvertible {
    let answer: String
    var description: String { "the upgrade was refused: \(answer.prefix(40))" }
    /// The HTTP status code.
    var status: Int { Int(answer.dropFirst(9).prefix(3)) ?? 0 }
  }

  /// One received frame.
  struct Frame: Equatable {
    let opcode: UInt8
    let payload: [UInt8]
    var text: String { String(decoding: payload, as: UTF8.self) }
    /// The status code of a close frame.
    var closeCode: Int { payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 0 }
    var closeReason: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
  }

  let connection: RawConnection
  private let read: IncrementalParser<(frame: Frame, message: JSONValue?)>

  private init(_ connection: RawConnection, headLength: Int) {
    self.connection = connection
    read = IncrementalParser(from: headLength) { bytes in
      Self.first(bytes).map { (($0, $0.opcode == 1 ? try? JSONValue(text: $0.text) : nil), $1) }
    }
  }

  /// The upgrade request of a browser.
  static func request(
    port: UInt16, host: String? = nil, origins: [String], path: String = "/bridge", more: [String] = []
  ) -> String {
    let lines =
      [
        "GET \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ] + origins.map { "Origin: \($0)" } + more
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  /// - Throws: `Refused` with the complete response if its status is not 101.
  static func connect(port: UInt16, origin: String, reads: Bool = true) async throws -> WebSocketClient {
    let connection = try RawConnection.loopback(port)
    connection.send(request(port: port, origins: [origin]))
    await connection.wait { $0.text.contains("\r\n\r\n") || !$0.isOpen }
    let text = connection.text
    guard text.hasPrefix("HTTP/1.1 101"), let end = text.firstRange(of: "\r\n\r\n") else {
      throw Refused(answer: await connection.textUntilClosed() ?? text)
    }
    return WebSocketClient(connection, headLength: text[..<end.upperBound].utf8.count)
  }

  static func frame(_ opcode: UInt8, _ payload: some Collection<UInt8>, fin: Bool = true, masked: Bool = true)
    -> [UInt8]
  {
    let payload = Array(payload)
    var bytes: [UInt8] = [(fin ? 0x80 : 0) | opcode]
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    let bit: UInt8 = masked ? 0x80 : 0
    switch payload.count {
    case 0..<126: bytes.append(bit | UInt8(payload.count))
    case 126..<65_536: bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: bytes += [bit | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
    }
    if masked { bytes += mask }
    return bytes + (masked ? payload.enumerated().map { $1 ^ mask[$0 % 4] } : payload)
  }

  func send(_ text: String) { connection.send(Self.frame(1, text.utf8)) }

  /// All complete frames.
  var frames: [Frame] { read.items(of: connection).map(\.frame) }

  /// The messages in text frames.
  var messages: [JSONValue] { read.items(of: connection).compactMap(\.message) }

  static func parse(_ bytes: some Collection<UInt8>) -> (frames: [Frame], rest: [UInt8]) {
    var rest = Array(bytes)[...]
    var frames: [Frame] = []
    while let (frame, length) = first(rest) {
      frames.append(frame)
      rest = rest.dropFirst(length)
    }
    return (frames, Array(rest))
  }

  private static func first(_ bytes: ArraySlice<UInt8>) -> (Frame, Int)? {
    let bytes = Array(bytes)
    guard bytes.count >= 2 else { return nil }
    var (offset, length) = (2, Int(bytes[1] & 0x7F))
    if length >= 126 {
      let count = length == 126 ? 2 : 8
      guard bytes.count >= 2 + count else { return nil }
      length = bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
      offset = 2 + count
    }
    guard bytes.count >= offset + length else { return nil }
    return (Frame(opcode: bytes[0] & 0xF, payload: Array(bytes[offset..<offset + length])), offset + length)
  }

  /// Waits for the close frame.
  func closeFrame(within seconds: Double = 120) async -> Frame? {
    await connection.wait(within: seconds) { _ in frames.contains { $0.opcode == 8 } }
    return frames.first { $0.opcode == 8 }
  }
}
