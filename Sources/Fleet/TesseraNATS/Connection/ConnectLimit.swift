internal import Dispatch
internal import Glibc
internal import TesseraThreads

/// Ends the attempts to connect that libnats does not end.
///
/// While it waits for the answer to a login, libnats 3.4 takes the end of its time for a byte, and goes on without end: with
/// a whole core and ever more memory. It does not name its socket. So this finds it among those of the process, by the
/// address of the server, and shuts it down.
enum ConnectLimit {
  /// The sockets of connections that were made, by their inodes.
  private static let exempted = Locked<Set<UInt64>>([])

  /// An attempt was successful.
  static func exempt(_ socket: Int32) {
    if let inode = inode(of: socket) { exempted.withLock { _ = $0.insert(inode) } }
  }

  static func forget(_ socket: Int32) {
    if let inode = inode(of: socket) { exempted.withLock { _ = $0.remove(inode) } }
  }

  /// Runs `body`, which connects.
  ///
  /// - Returns: What it returns, and whether a server had to be left.
  static func with<Result>(
    _ configuration: NATSConfiguration, _ body: () -> Result
  ) -> (result: Result, isExceeded: Bool) {
    let (end, isExceeded) = (DispatchSemaphore(value: 0), Locked(false))
    DetachedThread.start(name: "NATS limit") {
      watch(configuration, end) { isExceeded.withLock { $0 = true } }
    }
    let result = body()
    end.signal()
    return (result, isExceeded.withLock { $0 })
  }

  private static func watch(_ configuration: NATSConfiguration, _ end: DispatchSemaphore, _ onExcess: () -> Void) {
    var addresses: Set<[UInt8]>?
    var starts: [UInt64: ContinuousClock.Instant] = [:]
    while end.wait(timeout: .now() + .seconds(1)) == .timedOut {
      let wanted = addresses ?? configuration.servers.reduce(into: []) { $0.formUnion(Self.addresses(of: $1)) }
      addresses = wanted
      for number in descriptors() {
        // Another thread can close the socket at any time, and get its number for something else.
        let socket = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard socket >= 0 else { continue }
        defer { close(socket) }
        guard let inode = inode(of: socket), !exempted.withLock({ $0.contains(inode) }),
          let peer = peer(of: socket), wanted.contains(peer)
        else { continue }
        let start = starts[inode] ?? .now
        starts[inode] = start
        guard .now - start > configuration.connectTimeout else { continue }
        onExcess()
        shutdown(socket, Int32(SHUT_RDWR))
      }
    }
  }

  /// nil if this is no socket.
  private static func inode(of socket: Int32) -> UInt64? {
    var status = stat()
    guard fstat(socket, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return UInt64(status.st_ino)
  }

  private static func descriptors() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var numbers: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { $0.prefix { $0 != 0 }.map { $0 } }
      if let number = Int32(String(decoding: name, as: UTF8.self)) { numbers.append(number) }
    }
    return numbers
  }

  // MARK: - Addresses: family, port and number, without what else is in the structure

  private static func peer(of socket: Int32) -> [UInt8]? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(socket, address, &size) == 0 ? bytes(of: address, Int(size)) : nil
      }
    }
  }

  private static func addresses(of server: NATSServerAddress) -> Set<[UInt8]> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(server.host, String(server.port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: Set<[UInt8]> = []
    var next = list
    while let entry = next?.pointee {
      if let address = entry.ai_addr, let bytes = bytes(of: address, Int(entry.ai_addrlen)) { found.insert(bytes) }
      next = entry.ai_next
    }
    return found
  }

  private static func bytes(of address: UnsafePointer<sockaddr>, _ size: Int) -> [UInt8]? {
    let raw = UnsafeRawBufferPointer(start: address, count: size)
    switch Int32(address.pointee.sa_family) {
    case AF_INET where size >= MemoryLayout<sockaddr_in>.size: return Array(raw[0..<8])
    case AF_INET6 where size >= MemoryLayout<sockaddr_in6>.size: return Array(raw[0..<4]) + Array(raw[8..<24])
    default: return nil
    }
  }
}
