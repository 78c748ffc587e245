import Glibc

/// A TCP connection that reads one line and sends nothing. All its calls have a time limit, except the search for the
/// address of a name.
struct NetworkConnection: ~Copyable {
  enum Problem: Error, Equatable {
    /// The name has no address.
    case unknownHost
    /// Nothing listens at the port.
    case refused
    /// No response in time.
    case silent
    /// Another error of the system.
    case failed(code: Int32)
  }

  private let descriptor: Int32

  /// Tries each address of the host.
  ///
  /// - Throws: the problem of the last address.
  init(host: String, port: UInt16, milliseconds: Int32) throws(Problem) {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { throw .unknownHost }
    defer { freeaddrinfo(list) }
    var problem = Problem.unknownHost
    var next = list
    while let address = next {
      switch Self.connect(to: address.pointee, milliseconds) {
      case .success(let connected):
        descriptor = connected
        return
      case .failure(let found): problem = found
      }
      next = address.pointee.ai_next
    }
    throw problem
  }

  deinit { close(descriptor) }

  private static func connect(to address: addrinfo, _ milliseconds: Int32) -> Result<Int32, Problem> {
    let type = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.ai_family, type, address.ai_protocol)
    guard descriptor >= 0 else { return .failure(.failed(code: errno)) }
    var code: Int32 = 0
    if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) != 0 {
      code = errno
      if code == EINPROGRESS {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else {
          close(descriptor)
          return .failure(.silent)
        }
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
      }
    }
    guard code == 0 else {
      close(descriptor)
      return .failure(code == ECONNREFUSED ? .refused : code == ETIMEDOUT ? .silent : .failed(code: code))
    }
    return .success(descriptor)
  }

  /// The bytes before the first line feed, without a carriage return at the end.
  ///
  /// - Throws: `.silent` if the line is not complete in time, or exceeds the limit.
  func line(upTo limit: Int, milliseconds: Int32) throws(Problem) -> [UInt8] {
    let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while line.count <= limit {
      let rest = ContinuousClock.now.duration(to: deadline)
      let remaining = Int32(
        clamping: rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000)
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard remaining > 0, poll(&ready, 1, remaining) > 0 else { throw .silent }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { throw count == 0 ? .silent : .failed(code: errno) }
      if let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) {
        line += buffer[..<end]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      }
      line += buffer[..<count]
    }
    throw .silent
  }
}
