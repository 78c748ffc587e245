import Glibc
import NIOCore

/// The user at the other end of a socket, as the kernel reports it.
enum PeerUser {
  /// `struct ucred`, which the Glibc module does not export.
  private struct Credentials: Sendable {
    let process: pid_t
    let user: uid_t
    let group: gid_t
  }

  /// The user who connected to a Unix socket (unix(7), `SO_PEERCRED`).
  static func ofUnixSocket(_ channel: any Channel) -> EventLoopFuture<uid_t> {
    guard let options = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    let credentials: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    return credentials.map { $0.user }
  }

  /// The socket at the other end of a TCP connection over loopback (sock_diag(7)).
  ///
  /// - Parameters:
  ///   - client: the address of the other end.
  ///   - server: the address of this end.
  /// - Returns: nil if the kernel has no such socket: the other end is closed, or not on this machine.
  static func ofLoopbackConnection(client: SocketAddress, server: SocketAddress) -> PeerSocket? {
    guard let query = SocketDiagnosis.query(local: client, remote: server) else { return nil }
    let descriptor = socket(
      AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), SocketDiagnosis.netlink)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard send(descriptor, query, query.count, 0) == query.count else { return nil }
    // The kernel answers within `send`.
    var answer = [UInt8](repeating: 0, count: 1_024)
    let count = recv(descriptor, &answer, answer.count, Int32(MSG_DONTWAIT))
    guard count > 0 else { return nil }
    return SocketDiagnosis.socket(answer.prefix(count), local: client, remote: server)
  }
}

/// A socket of this machine.
struct PeerSocket: Hashable {
  let owner: uid_t
  let inode: UInt32
  /// The control group of the process that made it (`ControlGroups`); nil if the kernel does not say.
  let group: UInt64?
}

/// The messages of sock_diag(7) that look up one TCP socket. Numbers are in host byte order, ports and addresses in
/// network byte order.
enum SocketDiagnosis {
  /// NETLINK_SOCK_DIAG.
  static let netlink: Int32 = 4
  private static let byFamily: UInt16 = 20
  private static let headerLength = 16
  /// Offsets in `struct inet_diag_msg`.
  private static let stateOffset = 1
  private static let portsOffset = 4
  private static let userOffset = 64
  private static let inodeOffset = 68
  /// The attributes follow `struct inet_diag_msg`.
  private static let attributesOffset = 72
  /// INET_DIAG_CGROUP_ID, since Linux 5.8.
  private static let group: UInt16 = 21
  /// TCP_ESTABLISHED.
  private static let established: UInt8 = 1

  static func query(local: SocketAddress, remote: SocketAddress) -> [UInt8]? {
    guard let from = endpoint(local), let to = endpoint(remote), from.family == to.family else { return nil }
    var body: [UInt8] = [from.family, UInt8(IPPROTO_TCP), 0, 0]
    append(UInt32.max, to: &body)  // in any state
    body += from.port + to.port + from.address + to.address
    append(UInt32(0), to: &body)  // on any interface
    append(UInt64.max, to: &body)  // INET_DIAG_NOCOOKIE
    var message: [UInt8] = []
    append(UInt32(headerLength + body.count), to: &message)
    append(byFamily, to: &message)
    append(UInt16(1), to: &message)  // NLM_F_REQUEST
    append(UInt64(0), to: &message)
    return message + body
  }

  /// - Returns: nil if the response is an error or is about another socket.
  static func socket(_ answer: ArraySlice<UInt8>, local: SocketAddress, remote: SocketAddress) -> PeerSocket? {
    let bytes = Array(answer)
    guard bytes.count >= headerLength + inodeOffset + 4, let from = endpoint(local), let to = endpoint(remote) else {
      return nil
    }
    let family = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 4, as: UInt16.self) }
    let ports = bytes[headerLength + portsOffset..<headerLength + portsOffset + 4]
    guard family == byFamily, Array(ports) == from.port + to.port else { return nil }
    // The kernel reports user 0 for a socket that its owner has closed.
    let inode = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: headerLength + inodeOffset, as: UInt32.self) }
    guard bytes[headerLength + stateOffset] == established, inode != 0 else { return nil }
    let owner = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: headerLength + userOffset, as: uid_t.self) }
    return PeerSocket(owner: owner, inode: inode, group: number(of: group, bytes))
  }

  /// The value of an attribute of eight bytes (`struct nlattr`: its length, its type, its value, padded to four bytes).
  private static func number(of type: UInt16, _ bytes: [UInt8]) -> UInt64? {
    bytes.withUnsafeBytes { bytes in
      var offset = headerLength + attributesOffset
      while offset + 4 <= bytes.count {
        let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        guard length >= 4, offset + length <= bytes.count else { return nil }
        if bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self) == type, length == 12 {
          return bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt64.self)
        }
        offset += (length + 3) & ~3
      }
      return nil
    }
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }

  private static func endpoint(_ address: SocketAddress) -> (family: UInt8, port: [UInt8], address: [UInt8])? {
    switch address {
    case .v4(let address):
      let port = withUnsafeBytes(of: address.address.sin_port, Array.init)
      let bytes = withUnsafeBytes(of: address.address.sin_addr, Array.init)
      return (UInt8(AF_INET), port, bytes + [UInt8](repeating: 0, count: 12))
    case .v6(let address):
      let port = withUnsafeBytes(of: address.address.sin6_port, Array.init)
      return (UInt8(AF_INET6), port, withUnsafeBytes(of: address.address.sin6_addr, Array.init))
    default: return nil
    }
  }
}
