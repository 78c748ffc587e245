public import TesseraBridge
public import TesseraCore

/// A transport to a router: in process, a socket, a web page.
public protocol BridgeTransport: Sendable {
  /// The name in the parity matrix.
  var name: String { get }

  /// Opens a connection to the router.
  ///
  /// - Parameter isTrusted: whether the source may use the bridge.
  /// - Returns: nil if the transport rejects untrusted sources.
  func open(_ router: MessageRouter, isTrusted: Bool) async throws -> (any VectorConnection)?
}

/// The client side of one connection.
public protocol VectorConnection: Sendable {
  func send(_ text: String) async throws
  /// The texts of responses and events in order. Ends with the connection; supports one reader.
  var received: AsyncStream<String> { get }
  func close() async
}

/// Calls the router directly.
public struct InProcessTransport: BridgeTransport {
  public let name = "in process"
  private let caller: Caller

  public init(caller: Caller = .local) { self.caller = caller }

  public func open(_ router: MessageRouter, isTrusted: Bool) async throws -> (any VectorConnection)? {
    InProcessConnection(router, caller, isTrusted: isTrusted)
  }
}

private struct InProcessConnection: VectorConnection {
  let received: AsyncStream<String>
  private let sent: AsyncStream<String>.Continuation
  private let router: MessageRouter
  private let caller: Caller
  private let isTrusted: Bool
  private let connection = BridgeConnection()

  init(_ router: MessageRouter, _ caller: Caller, isTrusted: Bool) {
    self.router = router
    self.caller = caller
    self.isTrusted = isTrusted
    (received, sent) = AsyncStream.makeStream()
  }

  func send(_ text: String) async throws {
    Task { [sent, router, caller, isTrusted, connection] in
      await router.route(text, isTrusted: isTrusted, from: caller, over: connection) { sent.yield($0.text) }
    }
  }

  func close() async { sent.finish() }
}
