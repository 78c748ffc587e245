internal import CTesseraNATS
internal import Glibc

/// A message on a subject.
package struct NATSMessage: Sendable, Equatable {
  /// Tokens separated by full stops, without wildcards.
  package var subject: String
  /// Where an answer goes; nil if none is wanted.
  package var reply: String?
  package var headers: NATSHeaders
  package var payload: [UInt8]

  /// About the bytes that it takes of the limit of a server.
  var size: Int { payload.count + headers.size }

  package init(subject: String, reply: String? = nil, headers: NATSHeaders = [], payload: [UInt8]) {
    self.subject = subject
    self.reply = reply
    self.headers = headers
    self.payload = payload
  }
}

extension NATSMessage {
  /// Copies a message of libnats, which is destroyed.
  init(taking message: OpaquePointer) {
    defer { natsMsg_Destroy(message) }
    subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
    reply = natsMsg_GetReply(message).map { String(cString: $0) }
    let count = Int(natsMsg_GetDataLength(message))
    let bytes = UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: max(0, count))
    payload = bytes.baseAddress == nil ? [] : Array(bytes)
    headers = Self.headers(of: message)
  }

  private static func headers(of message: OpaquePointer) -> NATSHeaders {
    var headers: NATSHeaders = []
    var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    guard natsMsgHeader_Keys(message, &names, &count) == NATS_OK, let names else { return headers }
    defer { free(names) }
    for index in 0..<Int(count) {
      var value: UnsafePointer<CChar>?
      guard let name = names[index], natsMsgHeader_Get(message, name, &value) == NATS_OK else { continue }
      headers.add(String(cString: name), value.map { String(cString: $0) } ?? "")
    }
    return headers
  }

  /// Passes the message to `body` as one of libnats, which lives until `body` returns.
  func withLibraryMessage(_ body: (OpaquePointer) -> natsStatus) -> natsStatus {
    var pointer: OpaquePointer?
    var status = payload.withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        natsMsg_Create(&pointer, subject, reply, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
    guard status == NATS_OK, let pointer else { return status }
    defer { natsMsg_Destroy(pointer) }
    for header in headers.headers where status == NATS_OK {
      status = natsMsgHeader_Add(pointer, header.name, header.value)
    }
    return status == NATS_OK ? body(pointer) : status
  }
}

extension Duration {
  /// For libnats: at least one, since zero means something else there, and at most 11 days.
  var libraryMilliseconds: Int64 { Int64(Swift.max(1, Swift.min(self / .milliseconds(1), 1e9))) }

  /// For JetStream: from zero to 285 years.
  var wholeNanoseconds: Int64 { Int64(Swift.max(0, Swift.min(self / .nanoseconds(1), 9e18))) }
}

/// The rules for subjects. libnats sends any text, and a space or a line end in it would be a command of its own.
enum NATSSubject {
  /// Well below the 4,096 bytes that a server accepts for a whole command line.
  static let maximumLength = 1024

  /// Whether messages can be sent to this subject: tokens of visible characters, without wildcards.
  static func isValid(_ subject: String) -> Bool {
    isPattern(subject) && !subject.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ">") }
  }

  /// Whether the subject can be subscribed: `*` and `>` may be whole tokens, `>` the last one.
  static func isPattern(_ subject: String) -> Bool {
    guard subject.utf8.count <= maximumLength else { return false }
    let tokens = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return tokens.enumerated().allSatisfy { number, token in
      guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
      guard token.contains(UInt8(ascii: "*")) || token.contains(UInt8(ascii: ">")) else { return true }
      return token.count == 1 && (token.first == UInt8(ascii: "*") || number == tokens.count - 1)
    }
  }

  /// Whether the text can be the name of a queue group.
  static func isQueue(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= maximumLength && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }
}
