import Foundation
import TesseraCore

/// TCP ports of 127.0.0.1.
public enum LoopbackPort {
  /// A port that is free together with the next one. Another program can take one of them before the caller does.
  public static func freePair() throws -> UInt16 {
    let (port, first, second) = try listenPair()
    close(first)
    close(second)
    return port
  }

  /// - Returns: A port, and listening sockets at it and at the next one.
  static func listenPair() throws -> (port: UInt16, first: Int32, second: Int32) {
    for _ in 0..<100 {
      let port = UInt16.random(in: 20_000..<32_000)
      guard let first = try? listen(port) else { continue }
      guard let second = try? listen(port + 1) else {
        close(first)
        continue
      }
      return (port, first, second)
    }
    throw Failure(.serviceUnavailable, "no two free ports")
  }

  /// Whether a process listens on the port.
  public static func accepts(_ port: UInt16) -> Bool {
    guard let descriptor = try? connect(port) else { return false }
    close(descriptor)
    return true
  }

  /// - Returns: A listening socket.
  public static func listen(_ port: UInt16) throws -> Int32 {
    // Old connections in TIME_WAIT must not block the port.
    try socket(port) { allowReuse($0) && bind($0, $1, $2) == 0 && Foundation.listen($0, 8) == 0 }
  }

  /// - Returns: A socket with a port of the kernel's choice, which does not listen.
  static func reserve() throws -> Int32 {
    try socket(0) { allowReuse($0) && bind($0, $1, $2) == 0 }
  }

  private static func allowReuse(_ descriptor: Int32) -> Bool {
    var on: Int32 = 1
    return setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)) == 0
  }

  /// - Returns: A connected socket.
  public static func connect(_ port: UInt16) throws -> Int32 {
    try socket(port) { Foundation.connect($0, $1, $2) == 0 }
  }

  private static func socket(
    _ port: UInt16, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws -> Int32 {
    let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let worked = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard worked else {
      close(descriptor)
      throw Failure(.serviceUnavailable, "port \(port) is not available")
    }
    return descriptor
  }
}
