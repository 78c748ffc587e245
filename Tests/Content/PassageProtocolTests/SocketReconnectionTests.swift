import PassageSocket
import Testing

@Suite("When a client connects again")
struct SocketReconnectionTests {
  private static func waits(_ reconnection: SocketReconnection) -> [Duration] {
    var reconnection = reconnection
    var waits: [Duration] = []
    while let wait = reconnection.next(), waits.count < 1_000 { waits.append(wait) }
    return waits
  }

  @Test("five attempts, after 2 to 10 seconds")
  func defaults() {
    #expect(Self.waits(SocketReconnection()) == [2, 4, 8, 10, 10].map { .seconds($0) })
    // There is no random part.
    #expect(Self.waits(SocketReconnection()) == Self.waits(SocketReconnection()))
  }

  @Test("a connection starts the count again, and the end stays the end without one")
  func count() {
    var reconnection = SocketReconnection()
    #expect(reconnection.next() == .seconds(2))
    #expect(reconnection.next() == .seconds(4))
    #expect(reconnection.attempts == 2)
    reconnection.connected()
    #expect(reconnection.attempts == 0)
    #expect(Self.waits(reconnection) == [2, 4, 8, 10, 10].map { .seconds($0) })
    for _ in 0..<5 { _ = reconnection.next() }
    #expect(reconnection.next() == nil)
    #expect(reconnection.next() == nil)
    #expect(reconnection.attempts == 5)
    reconnection.connected()
    #expect(reconnection.next() == .seconds(2))
  }

  @Test("other numbers, and those without sense")
  func others() {
    #expect(
      Self.waits(SocketReconnection(maximumAttempts: 3, firstWait: .seconds(3), longestWait: .seconds(5)))
        == [3, 5, 5].map { .seconds($0) })
    #expect(Self.waits(SocketReconnection(maximumAttempts: 0)).isEmpty)
    #expect(Self.waits(SocketReconnection(maximumAttempts: -1)).isEmpty)
    #expect(
      Self.waits(SocketReconnection(maximumAttempts: 2, firstWait: .seconds(9), longestWait: .seconds(1)))
        == [.seconds(1), .seconds(1)])
    #expect(
      Self.waits(SocketReconnection(maximumAttempts: 2, firstWait: .seconds(-9), longestWait: .seconds(-1)))
        == [.zero, .zero])
    // A wait of zero stays zero, however many attempts there are.
    #expect(
      Self.waits(SocketReconnection(maximumAttempts: 200, firstWait: .zero)) == [Duration](repeating: .zero, count: 200)
    )
    #expect(
      Self.waits(SocketReconnection(maximumAttempts: 300, firstWait: .nanoseconds(1), longestWait: .seconds(1 << 40)))
        .count == 300)
  }
}
