internal import CTesseraNATS
internal import Glibc

/// How much a server may send before the message, or the line of the protocol, that it has begun is complete.
///
/// libnats counts the messages that it has received whole, and the kernel the bytes of the connection. With TLS these are
/// the encrypted ones, a little more.
struct ReceptionLimit {
  /// The bytes and the time of the last read at which nothing was incomplete for longer than one read.
  private var start = (bytes: UInt64(0), time: ContinuousClock.now)
  private var generation = 0
  private var messages: UInt64 = 0

  /// What every server may send: its default for `max_payload`, and what desks and inspectors accept.
  static let least = 1 << 20
  /// What a server may announce. More is never accepted, as nats-server itself advises.
  static let most = 8 << 20
  /// The line of the protocol and one read; the overhead of TLS is below a 64th.
  private static let margin = 128 << 10
  /// A connection whose server gives no sign of life for 6 seconds is given up. So what is older is complete, although no
  /// message came: signs of life.
  private static let lifetime = Duration.seconds(10)

  /// - Parameter generation: the number of the socket.
  /// - Returns: The limit, in bytes, if the server has exceeded it.
  mutating func excess(of connection: OpaquePointer, _ socket: Int32, _ generation: Int) -> Int? {
    guard let bytes = Self.bytesRead(from: socket) else { return nil }
    let messages = Self.messages(of: connection)
    let isComplete =
      generation != self.generation || messages != self.messages || .now - start.time > Self.lifetime
    if isComplete {
      start = (bytes, .now)
      (self.generation, self.messages) = (generation, messages)
      return nil
    }
    let pending = bytes - min(bytes, start.bytes)
    guard pending > Self.least else { return nil }
    let announced = Int(clamping: natsConnection_GetMaxPayload(connection))
    let limit = min(max(announced, Self.least), Self.most)
    return pending > limit + limit / 64 + Self.margin ? limit : nil
  }

  /// The messages that are complete.
  private static func messages(of connection: OpaquePointer) -> UInt64 {
    var statistics: OpaquePointer?
    guard natsStatistics_Create(&statistics) == NATS_OK else { return 0 }
    defer { natsStatistics_Destroy(statistics) }
    var (messages, bytes, sent, sentBytes, connections) = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    guard natsConnection_GetStats(connection, statistics) == NATS_OK,
      natsStatistics_GetCounts(statistics, &messages, &bytes, &sent, &sentBytes, &connections) == NATS_OK
    else { return 0 }
    return messages
  }

  /// The bytes that this process has taken from the socket. nil if the kernel does not say.
  private static func bytesRead(from socket: Int32) -> UInt64? {
    // `tcpi_bytes_received` of linux/tcp.h, which Glibc's struct lacks.
    var information = [UInt64](repeating: 0, count: 24)
    var size = socklen_t(information.count * MemoryLayout<UInt64>.size)
    guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &information, &size) == 0,
      size >= socklen_t((receivedIndex + 1) * MemoryLayout<UInt64>.size)
    else { return nil }
    var unread: Int32 = 0
    guard ioctl(socket, UInt(FIONREAD), &unread) == 0 else { return nil }
    return information[receivedIndex] - min(information[receivedIndex], UInt64(max(0, unread)))
  }

  /// Its place, in units of 8 bytes.
  private static let receivedIndex = 16
}
