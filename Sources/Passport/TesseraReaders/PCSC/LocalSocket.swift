import Glibc

/// Tries to connect to a Unix socket.
package enum LocalSocket {
  package enum Outcome: Equatable {
    case connected
    /// The socket file does not exist.
    case missing
    /// The permissions of the socket or of a parent folder deny access.
    case denied
    /// No process listens: the one that created the socket has terminated.
    case abandoned
    case failed(code: Int32)
  }

  /// Connects and disconnects without blocking. A listener with a full queue counts as connected.
  package static func connect(_ path: String) -> Outcome {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      guard bytes.count < buffer.count else { return false }
      buffer.copyBytes(from: bytes)
      return true
    }
    guard fits else { return .failed(code: ENAMETOOLONG) }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { return .failed(code: errno) }
    defer { close(descriptor) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result != 0 else { return .connected }
    return switch errno {
    case ENOENT, ENOTDIR: .missing
    case EACCES, EPERM: .denied
    case ECONNREFUSED: .abandoned
    case EAGAIN, EINPROGRESS: .connected
    case let code: .failed(code: code)
    }
  }
}
