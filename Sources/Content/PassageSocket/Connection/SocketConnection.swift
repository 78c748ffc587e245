internal import NIOCore

/// One connection to the server, from the WebSocket's handshake on.
struct SocketConnection: Sendable {
  /// Ends with the report of the end, or when the client closes the connection.
  let reports: AsyncStream<ConnectionReport>
  let channel: any Channel
  private let handler: NIOLoopBound<SocketConnectionHandler>

  init(
    _ reports: AsyncStream<ConnectionReport>, _ channel: any Channel, _ handler: NIOLoopBound<SocketConnectionHandler>
  ) {
    self.reports = reports
    self.channel = channel
    self.handler = handler
  }

  /// Sends the emission after those before it; its number is reported once it is written.
  func send(_ emission: Emission) {
    channel.eventLoop.execute { [handler] in
      handler.value.send(emission.text, number: emission.number) { emission.hasBegun.withLock { $0 = true } }
    }
  }

  /// Ends the connection for a reason, which is reported.
  func end(_ reason: SocketError) { channel.eventLoop.execute { [handler] in handler.value.end(reason) } }

  /// Closes the connection on purpose, and waits for its end: until the server has confirmed it, or for the time limit.
  func close() async {
    channel.eventLoop.execute { [handler] in handler.value.close() }
    try? await channel.closeFuture.get()
  }
}
