import Foundation
import NIOCore
import NIOPosix
import TesseraThreads

extension LoadPlan {
  /// Runs all clients until they have all answers, on one event loop.
  public func run() async throws -> LoadResult {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let total = Locked(LoadResult())
    let start = NIODeadline.now()
    do {
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for (number, wire) in clients.enumerated() {
          tasks.addTask {
            // The service limits pending handshakes, so a page whose handshake was evicted retries, as bridge.js does.
            for attempt in 1...60 {
              let channel = try await connect(number, wire, group, total)
              try await channel.closeFuture.get()
              let isRefused = total.withLock { $0.refused.remove(number) != nil }
              if !isRefused { return }
              try await Task.sleep(for: .milliseconds(20 * attempt))
            }
            total.withLock { $0.lost += 1 }
          }
        }
        try await tasks.waitForAll()
      }
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
    return total.withLock { total in
      total.seconds = Double((NIODeadline.now() - start).nanoseconds) / 1e9
      total.latencies.sort()
      return total
    }
  }

  private func connect(
    _ number: Int, _ wire: Wire, _ group: any EventLoopGroup, _ total: Locked<LoadResult>
  ) async throws -> any Channel {
    let bootstrap = ClientBootstrap(group: group).connectTimeout(.seconds(60)).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(LoadClient(self, number, wire, total))
      }
    }
    switch wire {
    case .lines(let path): return try await bootstrap.connect(unixDomainSocketPath: path).get()
    case .frames(let port, _): return try await bootstrap.connect(host: "127.0.0.1", port: Int(port)).get()
    }
  }
}

/// One client: keeps a number of requests under way until all requests are answered.
private final class LoadClient: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let plan: LoadPlan
  private let number: Int
  private let wire: LoadPlan.Wire
  private let requests: [LoadPlan.Request]
  /// The beginning of the identifiers of this client's requests.
  private let mark: [UInt8]
  private let total: Locked<LoadResult>
  private var received = ByteBuffer()
  private var isUpgraded: Bool
  private var sent = 0
  private var waiting: [Int: NIODeadline] = [:]
  private var result = LoadResult()

  init(_ plan: LoadPlan, _ number: Int, _ wire: LoadPlan.Wire, _ total: Locked<LoadResult>) {
    self.plan = plan
    self.number = number
    self.wire = wire
    requests = if case .lines = wire { plan.lineRequests } else { plan.frameRequests }
    self.total = total
    mark = Array("load-\(number)-".utf8)
    if case .lines = wire { isUpgraded = true } else { isUpgraded = false }
  }

  func channelActive(context: ChannelHandlerContext) {
    guard case .frames(let port, let origin) = wire else { return fill(context) }
    let request = """
      GET /bridge HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: \(origin)\r\n\r\n
      """
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var piece = unwrapInboundIn(data)
    received.writeBuffer(&piece)
    if !isUpgraded { readHead() }
    guard isUpgraded else { return }
    while let message = next() { receive(message) }
    received.discardReadBytes()
    fill(context)
    if result.answered == plan.requestsPerClient { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    guard isUpgraded else { return total.withLock { [number] total in _ = total.refused.insert(number) } }
    if result.answered < plan.requestsPerClient { result.lost = 1 }
    total.withLock { [result] total in
      total.answered += result.answered
      total.unexpected += result.unexpected
      total.wrong += result.wrong
      total.lost += result.lost
      total.latencies += result.latencies
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func readHead() {
    let end = Array("\r\n\r\n".utf8)
    guard let offset = received.offset(of: end) else { return }
    guard received.getString(at: received.readerIndex, length: 12) == "HTTP/1.1 101" else { return }
    received.moveReaderIndex(forwardBy: offset + end.count)
    isUpgraded = true
  }

  /// The bytes of the next message.
  private func next() -> ByteBuffer? {
    if case .lines = wire {
      guard let length = received.offset(of: UInt8(ascii: "\n")) else { return nil }
      let line = received.readSlice(length: length)
      received.moveReaderIndex(forwardBy: 1)
      return line
    }
    guard let second: UInt8 = received.getInteger(at: received.readerIndex + 1) else { return nil }
    var (head, length) = (2, Int(second))
    if second == 126 {
      guard let long: UInt16 = received.getInteger(at: received.readerIndex + 2) else { return nil }
      (head, length) = (4, Int(long))
    } else if second == 127 {
      guard let long: UInt64 = received.getInteger(at: received.readerIndex + 2) else { return nil }
      (head, length) = (10, Int(clamping: long))
    }
    guard received.readableBytes >= head + length else { return nil }
    received.moveReaderIndex(forwardBy: head)
    return received.readSlice(length: length)
  }

  /// Matches a message with its request, by the number after this client's mark. The mark can be anywhere, since an
  /// echo has other fields than an answer.
  private func receive(_ message: ByteBuffer) {
    guard let request = message.number(after: mark), let begin = waiting.removeValue(forKey: request) else {
      result.unexpected += 1
      return
    }
    result.answered += 1
    if !requests[request % requests.count].isMet(by: message) { result.wrong += 1 }
    result.latencies.append((NIODeadline.now() - begin).nanoseconds)
  }

  private func fill(_ context: ChannelHandlerContext) {
    var didSend = false
    while sent < plan.requestsPerClient, waiting.count < plan.inFlight {
      let kind = requests[sent % requests.count]
      let text = """
        {"type":"request","version":1,"id":"load-\(number)-\(sent)","domain":"\(kind.domain)",\
        "method":"\(kind.method)","params":\(kind.parameters),"timestamp":1700000000000}
        """
      waiting[sent] = .now()
      sent += 1
      didSend = true
      context.write(wrapOutboundOut(framed(text)), promise: nil)
    }
    if didSend { context.flush() }
  }

  private func framed(_ text: String) -> ByteBuffer {
    var buffer = ByteBuffer()
    if case .lines = wire {
      buffer.writeString(text)
      buffer.writeInteger(UInt8(10))
      return buffer
    }
    // The masking key zero leaves the payload unchanged.
    buffer.writeInteger(UInt8(0x81))
    if text.utf8.count < 126 {
      buffer.writeInteger(UInt8(0x80 | text.utf8.count))
    } else {
      buffer.writeInteger(UInt8(0xFE))
      buffer.writeInteger(UInt16(truncatingIfNeeded: text.utf8.count))
    }
    buffer.writeInteger(UInt32(0))
    buffer.writeString(text)
    return buffer
  }
}

extension ByteBuffer {
  /// Searched with the C library: a load client that searches with generic collection algorithms is slower than the
  /// service that it measures.
  fileprivate func offset(of byte: UInt8) -> Int? {
    withUnsafeReadableBytes { bytes in
      guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
      return UnsafeRawPointer(found) - start
    }
  }

  func offset(of part: [UInt8]) -> Int? {
    withUnsafeReadableBytes { bytes in
      guard let start = bytes.baseAddress, let first = part.first else { return nil }
      var offset = 0
      while offset + part.count <= bytes.count {
        let rest = bytes.count - part.count - offset + 1
        guard let found = memchr(start + offset, Int32(first), rest) else { return nil }
        if memcmp(found, part, part.count) == 0 { return UnsafeRawPointer(found) - start }
        offset = UnsafeRawPointer(found) - start + 1
      }
      return nil
    }
  }

  /// The decimal number after the first occurrence of the mark.
  fileprivate func number(after mark: [UInt8]) -> Int? {
    guard let offset = offset(of: mark) else { return nil }
    return withUnsafeReadableBytes { bytes in
      var number = 0
      for digit in bytes[(offset + mark.count)...] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { break }
        number = number &* 10 &+ Int(digit - UInt8(ascii: "0"))
      }
      return number
    }
  }
}
