import Foundation
import TestSupport

/// Listens at a port of 127.0.0.1 and sends each client these bytes, in two parts.
final class GreetingServer: Sendable {
  let port: UInt16
  private let listener: Int32

  init(_ greeting: String) throws {
    let reserved = try ReservedPort()
    port = UInt16(reserved.number)
    listener = try LoopbackPort.listen(port)
    let listener = listener
    let bytes = Array(greeting.utf8)
    let thread = Thread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let half = bytes.count / 2
        for part in [bytes[..<half], bytes[half...]] where !part.isEmpty {
          _ = part.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
        // Until the client has gone.
        var byte: UInt8 = 0
        _ = recv(client, &byte, 1, 0)
        close(client)
      }
    }
    thread.start()
  }

  deinit {
    // Ends `accept`.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }
}
