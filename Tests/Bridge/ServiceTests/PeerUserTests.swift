import Foundation
import NIOCore
import TestSupport
import Testing

@testable import TesseraService

@Suite("User at the other end of a loopback connection")
struct PeerUserTests {
  @Test("reports the user of an open peer, and nil (not root) for a closed one")
  func closedPeer() throws {
    let reserved = try ReservedPort()
    let port = UInt16(reserved.number)
    let listener = try LoopbackPort.listen(port)
    defer {
      close(listener)
      withExtendedLifetime(reserved) {}
    }
    let client = try LoopbackPort.connect(port)
    let accepted = accept(listener, nil, nil)
    defer { close(accepted) }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(client, $0, &length) == 0 }
    }
    #expect(isNamed)
    let ends = (
      client: SocketAddress(address), server: try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))
    )
    let socket = try #require(PeerUser.ofLoopbackConnection(client: ends.client, server: ends.server))
    #expect(socket.owner == getuid())
    #expect(SocketHolder.find([socket]) == [socket.inode: .own])
    let absent = SocketHolder.find([PeerSocket(owner: getuid(), inode: 1, group: nil)])
    // Other programs of this user may have more capabilities.
    #expect(absent.isEmpty || absent == [1: .privileged])
    close(client)
    #expect(PeerUser.ofLoopbackConnection(client: ends.client, server: ends.server) == nil)
  }
}
