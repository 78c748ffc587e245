internal import CTesseraOpenSSL
internal import FoundationEssentials
internal import TesseraHTTPClient

/// The client's side of the handshake of a WebSocket (RFC 6455, 4.1). It offers no extension and no protocol.
struct WebSocketHandshake {
  /// In bytes: of the response's head.
  private static let maximumHead = 80 << 10

  private let key: String
  let request: [UInt8]
  private var size = 0
  private var line: [UInt8] = []
  /// The head whose lines arrive.
  private var head: ResponseHead?

  init(_ address: SocketServerAddress) {
    var generator = SystemRandomNumberGenerator()
    key = Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    let head = [
      "GET \(address.target) HTTP/1.1", "Host: \(address.hostHeader)", "User-Agent: tessera", "Connection: Upgrade",
      "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)", "", "",
    ]
    request = Array(head.joined(separator: "\r\n").utf8)
  }

  /// Takes bytes from the front, up to the end of the response's head.
  ///
  /// - Returns: Whether the connection is a WebSocket now. What follows are its frames.
  /// - Throws: `SocketError.noWebSocket`, or `SocketError.http` with another status.
  mutating func receive(_ input: inout ArraySlice<UInt8>) throws(SocketError) -> Bool {
    while let byte = input.popFirst() {
      size += 1
      guard size <= Self.maximumHead else { throw .noWebSocket }
      guard byte == 0x0A else {
        line.append(byte)
        continue
      }
      if line.last == 0x0D { line.removeLast() }
      if let head = try endLine() {
        guard isWebSocket(head) else { throw .noWebSocket }
        return true
      }
    }
    return false
  }

  /// - Returns: the head of a response that upgrades the connection, after its last line.
  private mutating func endLine() throws(SocketError) -> ResponseHead? {
    // Tabs are the only control characters of a line (RFC 9110, 5.5).
    guard line.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { throw .noWebSocket }
    let text = String(decoding: line, as: UTF8.self)
    line = []
    guard let complete = head else {
      head = ResponseHead(statusLine: text)
      guard head != nil else { throw .noWebSocket }
      return nil
    }
    guard text.isEmpty else {
      head?.add(text)
      return nil
    }
    head = nil
    if complete.status == 101 { return complete }
    // Another head follows (RFC 9110, 15.2).
    if complete.isInterim { return nil }
    throw .http(.status(complete.status))
  }

  /// A server may choose only what the client offered, which is nothing.
  private func isWebSocket(_ head: ResponseHead) -> Bool {
    head.list("upgrade") == ["websocket"] && head.list("connection").contains("upgrade")
      && head.first("sec-websocket-accept") == Self.acceptance(of: key)
      && head.first("sec-websocket-extensions") == nil && head.first("sec-websocket-protocol") == nil
  }

  /// What a server makes of the key.
  static func acceptance(of key: String) -> String {
    let text = Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    SHA1(text, text.count, &digest)
    return Data(digest).base64EncodedString()
  }
}
