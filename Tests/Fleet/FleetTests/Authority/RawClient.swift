import Foundation
import TesseraCore
import TestSupport

@testable import TesseraFleet

/// A client of the NATS protocol that checks nothing itself, as a hostile desk would write one. It belongs to one test.
///
/// It reads what the server sent in its order: what was delivered before the answer to a `PING` is there after `flush`.
final class RawClient {
  struct Message: Equatable {
    var subject: String
    var reply: String?
    var headers: String = ""
    var payload: String
  }

  /// What was delivered since the last `flush`.
  private(set) var messages: [Message] = []
  /// The lines `-ERR` since the last `flush`.
  private(set) var errors: [String] = []
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var lastSubscription = 0

  /// Logs in.
  ///
  /// - Parameters:
  ///   - seed: the file of the key; nil to send none.
  ///   - statedKey: the public key to state in place of the seed's.
  ///   - token: the JWT of the user, in place of its public key.
  init(_ port: Int, seed: String?, statedKey: NKeyPublicKey? = nil, token: String? = nil) throws {
    descriptor = try LoopbackPort.connect(UInt16(port))
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let greeting = try line()
    var options: [String: Any] = [
      "verbose": false, "pedantic": false, "headers": true, "no_responders": true, "lang": "test", "version": "1",
    ]
    if let seed {
      guard let key = try NKeyFile(path: seed).read(),
        let information = try JSONSerialization.jsonObject(with: Data(greeting.dropFirst(5).utf8)) as? [String: Any],
        let nonce = information["nonce"] as? String
      else { throw Failure(.internalError, "The server has sent no nonce.") }
      if let token { options["jwt"] = token } else { options["nkey"] = (statedKey ?? key.publicKey).text }
      options["sig"] = Data(try key.sign(Array(nonce.utf8))).base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    let json = String(decoding: try JSONSerialization.data(withJSONObject: options), as: UTF8.self)
    try send("CONNECT \(json)\r\n")
    try flush()
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failure(.internalError, "The server has closed the connection.") }
      rest = rest.dropFirst(count)
    }
  }

  func publish(_ subject: String, _ payload: String = "", reply: String? = nil, headers: String? = nil) throws {
    let reply = reply.map { " \($0)" } ?? ""
    if let headers {
      let block = "NATS/1.0\r\n\(headers)\r\n\r\n"
      let size = block.utf8.count
      try send("HPUB \(subject)\(reply) \(size) \(size + payload.utf8.count)\r\n\(block)\(payload)\r\n")
    } else {
      try send("PUB \(subject)\(reply) \(payload.utf8.count)\r\n\(payload)\r\n")
    }
  }

  func subscribe(_ subject: String, queue: String? = nil) throws {
    lastSubscription += 1
    try send("SUB \(subject) \(queue.map { "\($0) " } ?? "")\(lastSubscription)\r\n")
  }

  /// Waits until the server has handled everything that was sent.
  ///
  /// - Returns: what was delivered since the last call.
  @discardableResult
  func flush() throws -> (messages: [Message], errors: [String]) {
    try send("PING\r\n")
    while try !takeLine(until: "PONG") {}
    defer { (messages, errors) = ([], []) }
    return (messages, errors)
  }

  /// Waits for a message that satisfies the condition. The others before it stay in `messages`.
  func message(where condition: (Message) -> Bool) throws -> Message {
    while true {
      if let index = messages.firstIndex(where: condition) { return messages.remove(at: index) }
      _ = try takeLine(until: nil)
    }
  }

  /// Sends a request and waits for its answer.
  func request(_ subject: String, _ payload: String = "", inbox: String, headers: String? = nil) throws -> Message {
    let reply = "\(inbox).\(UUID().uuidString)"
    try publish(subject, payload, reply: reply, headers: headers)
    return try message { $0.subject == reply }
  }

  // MARK: - The protocol

  /// - Returns: whether the line is the expected one.
  private func takeLine(until expected: String?) throws -> Bool {
    let line = try line()
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "MSG" where words.count >= 4:
      let payload = try bytes(Int(words[words.count - 1]) ?? 0)
      messages.append(Message(subject: words[1], reply: words.count > 4 ? words[3] : nil, payload: payload))
    case "HMSG" where words.count >= 5:
      let headers = Int(words[words.count - 2]) ?? 0
      let whole = try bytes(Int(words[words.count - 1]) ?? 0)
      messages.append(
        Message(
          subject: words[1], reply: words.count > 5 ? words[3] : nil,
          headers: String(decoding: Array(whole.utf8.prefix(headers)), as: UTF8.self),
          payload: String(decoding: Array(whole.utf8.dropFirst(headers)), as: UTF8.self)))
    case "-ERR": errors.append(line)
    case "PING": try send("PONG\r\n")
    default: break
    }
    return line == expected
  }

  private func line() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self).trimmingCharacters(in: .newlines)
      }
      try receive()
    }
  }

  /// A payload and its line end.
  private func bytes(_ count: Int) throws -> String {
    while buffer.count < count + 2 { try receive() }
    defer { buffer.removeSubrange(..<(count + 2)) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  private func receive() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    guard count > 0 else { throw Failure(.internalError, "The server has closed the connection, or is silent.") }
    buffer += chunk.prefix(count)
  }
}
