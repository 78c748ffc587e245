public import Bridge

/// A way to a router that the vectors go: in process, a socket, a web page.
public protocol BridgeDoor: Sendable {
  /// What the matrix calls it.
  var name: String { get }

  /// Opens one connection to this router.
  ///
  /// - Parameter isTrusted: false for a connection of a source that may not use the bridge.
  /// - Returns: nil where such a source is not let in at all.
  func open(_ router: MessageRouter, isTrusted: Bool) async throws -> (any VectorConnection)?
}

/// One connection, as a client has it.
public protocol VectorConnection: Sendable {
  func send(_ text: String) async throws
  /// The texts of answers and events as they come; ends with the connection. Is read once.
  var received: AsyncStream<String> { get }
  func close() async
}

/// The router itself.
public struct InProcessDoor: BridgeDoor {
  public let name = "in process"
  private let caller: BridgeCaller

  public init(caller: BridgeCaller = .local) { self.caller = caller }

  public func open(_ router: MessageRouter, isTrusted: Bool) async throws -> (any VectorConnection)? {
    InProcessConnection(router, caller, isTrusted: isTrusted)
  }
}

private struct InProcessConnection: VectorConnection {
  let received: AsyncStream<String>
  private let sent: AsyncStream<String>.Continuation
  private let router: MessageRouter
  private let caller: BridgeCaller
  private let isTrusted: Bool
  private let connection = BridgeConnection()

  init(_ router: MessageRouter, _ caller: BridgeCaller, isTrusted: Bool) {
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
