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
