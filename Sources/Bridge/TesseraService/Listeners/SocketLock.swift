import FoundationEssentials
import Glibc
import TesseraCore

/// Exclusive use of the path of a Unix socket by one service.
///
/// A lock file beside the socket is locked for the lifetime of this object. A socket with a listener is never replaced;
/// the socket of a crashed service is.
final class SocketLock: Sendable {
  let path: String
  private let lock: Int32
  /// The inode of the socket, which is removed at the end; nil if systemd owns the socket.
  private let inode: ino_t?

  private init(_ path: String, lock: Int32, inode: ino_t?) {
    self.path = path
    self.lock = lock
    self.inode = inode
  }

  deinit {
    if let inode, Self.inode(path) == inode { unlink(path) }
    // A forked child has a copy of the descriptor until it executes its program, and the copy would keep the lock.
    flock(lock, LOCK_UN)
    close(lock)
  }

  /// Locks the path and binds a socket to it that only its owner can connect to.
  ///
  /// - Throws: `Failure` of the kind `usage` if the path cannot be used, or another service uses it.
  static func bind(_ path: String) throws(Failure) -> (lock: SocketLock, descriptor: Int32) {
    try SocketPath.prepareFolder(of: path)
    let lock = try lock(beside: path)
    do {
      try removeStale(path)
      let descriptor = try bound(path)
      return (SocketLock(path, lock: lock, inode: inode(path)), descriptor)
    } catch {
      close(lock)
      throw error
    }
  }

  /// Locks the path of a socket that systemd passed.
  static func adopt(_ descriptor: Int32) throws(Failure) -> SocketLock {
    guard let path = UnixSocket.path(of: descriptor), path.hasPrefix("/") else {
      throw Failure(
        .usage, "The socket that systemd passed has no path.",
        remedy: "Set ListenStream= in the socket unit to an absolute path.")
    }
    return SocketLock(path, lock: try lock(beside: path), inode: nil)
  }

  private static func lock(beside path: String) throws(Failure) -> Int32 {
    let descriptor = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw Failure(
        .usage, "The folder of the socket is not writable.",
        remedy: "Specify a socket in a folder that you can write to.")
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
      throw Failure(
        .usage, "The file at \(path) is not a socket of this user.", remedy: "Remove it, or specify another path.")
    }
    // systemd may listen at the socket for a service that it has not started yet.
    if let connected = UnixSocket.connect(path) {
      close(connected)
      throw running(path)
    }
    unlink(path)
  }

  private static func bound(_ path: String) throws(Failure) -> Int32 {
    let descriptor = UnixSocket.open(path) { Glibc.bind($0, $1, $2) }
    guard let descriptor, chmod(path, 0o600) == 0 else {
      throw Failure(.usage, "The socket \(path) cannot be created.", remedy: "Specify another path.")
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
      remedy: "Use that service, or specify another path.")
  }
}

/// Stream sockets with a path.
enum UnixSocket {
  /// - Returns: a connected descriptor; nil if no process listens.
  static func connect(_ path: String) -> Int32? { open(path) { Glibc.connect($0, $1, $2) } }

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

  /// The path of a bound socket.
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
