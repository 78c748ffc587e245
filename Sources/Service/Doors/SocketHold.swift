import Failures
import Foundation

/// Holds the path of a Unix socket for one service.
///
/// Two services do not share a path: a lock beside the socket is held for as long as this object lives, and a socket behind
/// which somebody listens is never replaced. What is left of a service that crashed is.
final class SocketHold: Sendable {
  let path: String
  private let lock: Int32
  /// Of the socket that is removed in the end; nil where systemd keeps it.
  private let inode: ino_t?

  private init(_ path: String, lock: Int32, inode: ino_t?) {
    self.path = path
    self.lock = lock
    self.inode = inode
  }

  deinit {
    if let inode, Self.inode(path) == inode { unlink(path) }
    // A child that another thread forks has a copy until it executes its program, and a copy keeps the lock.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// Takes the path and binds a socket to it that only its owner can connect to.
  ///
  /// - Throws: `Failure` of the kind `usage`: the path cannot be used, or another service uses it.
  static func bind(_ path: String) throws(Failure) -> (hold: SocketHold, descriptor: Int32) {
    try SocketPath.prepareFolder(of: path)
    let lock = try lock(beside: path)
    do {
      try removeStale(path)
      let descriptor = try bound(path)
      return (SocketHold(path, lock: lock, inode: inode(path)), descriptor)
    } catch {
      close(lock)
      throw error
    }
  }

  /// Takes the path of a socket that systemd listens at.
  static func adopt(_ descriptor: Int32) throws(Failure) -> SocketHold {
    guard let path = UnixSocket.path(of: descriptor), path.hasPrefix("/") else {
      throw Failure(.usage, "The socket that was handed over has no path.", remedy: "Set ListenStream= to one.")
    }
    return SocketHold(path, lock: try lock(beside: path), inode: nil)
  }

  private static func lock(beside path: String) throws(Failure) -> Int32 {
    let descriptor = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw Failure(.usage, "The folder of the socket cannot be written to.", remedy: "Give another by --socket PATH.")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw running(path)
    }
    return descriptor
  }

  private static func removeStale(_ path: String) throws(Failure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == getuid() else {
      throw Failure(.usage, "At \(path) there is something that is no socket of yours.", remedy: "Remove it.")
    }
    // systemd may listen there for a service that it has not started yet.
    if let connected = UnixSocket.connect(path) {
      close(connected)
      throw running(path)
    }
    unlink(path)
  }

  private static func bound(_ path: String) throws(Failure) -> Int32 {
    let descriptor = UnixSocket.open(path) { Foundation.bind($0, $1, $2) }
    guard let descriptor, chmod(path, 0o600) == 0 else {
      throw Failure(.usage, "The socket \(path) cannot be made.", remedy: "Give another path by --socket PATH.")
    }
    return descriptor
  }

  private static func inode(_ path: String) -> ino_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_ino : nil
  }

  private static func running(_ path: String) -> Failure {
    Failure(
      .usage, "Another service is running at \(path).",
      remedy: "Use that one, or give another path by --socket PATH.")
  }
}

/// Stream sockets by path.
enum UnixSocket {
  /// - Returns: a connected descriptor; nil where nobody listens.
  static func connect(_ path: String) -> Int32? { open(path) { Foundation.connect($0, $1, $2) } }

  static func open(_ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32? {
    let bytes = Array(path.utf8)
    guard bytes.count < SocketPath.maximumLength else { return nil }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The path that a socket is bound to.
  static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    return withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
