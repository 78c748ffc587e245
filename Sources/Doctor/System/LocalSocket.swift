import Foundation

/// What a connection to a socket in the file system meets.
enum LocalSocket {
  enum Outcome: Equatable {
    case connected
    /// There is no such file.
    case missing
    /// The file or a folder above it does not let this user in.
    case denied
    /// Nobody listens: who made the file is gone.
    case abandoned
    case failed(code: Int32)
  }

  /// Connects, and closes again. Waits nowhere: a listener with a full queue is connected to as far as this can tell.
  static func connect(_ path: String) -> Outcome {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard bytes.count < room.count else { return false }
      room.copyBytes(from: bytes)
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
