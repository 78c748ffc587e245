import Foundation
import TesseraCore

/// A TCP port of 127.0.0.1 that is kept for one test.
///
/// A socket holds the port and does not listen. A connection is refused until a server listens there. The kernel gives
/// the port to nobody who asks for any port. A server that asks for this port gets it if it sets `SO_REUSEADDR`.
public final class ReservedPort: Sendable {
  public let number: Int
  private let descriptor: Int32

  public init() throws {
    let descriptor = try LoopbackPort.reserve()
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
    }
    self.descriptor = descriptor
    number = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(descriptor) }
}
