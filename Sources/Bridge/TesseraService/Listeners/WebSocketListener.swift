import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import TesseraBridge
import TesseraCore

/// The loopback port: serves a WebSocket at `/bridge` to granted pages in a browser of the user who runs the service
/// (`LoopbackCallers`),
/// the script `/bridge.js` that connects pages to it, and the service's own page, if it has one.
struct WebSocketListener {
  let channel: any Channel
  /// The address for pages, `ws://HOST:PORT/bridge`.
  let address: String

  /// - Throws: `Failure` of the kind `usage` if the port is in use.
  static func listen(_ address: LoopbackAddress, core: ServiceCore, group: any EventLoopGroup) async throws
    -> WebSocketListener
  {
    let channel: any Channel
    do {
      channel = try await ServerBootstrap(group: group)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try CloseOnExecSocket.set(channel) }
        }
        .serverChannelOption(.backlog, value: Int32(clamping: core.limits.connections))
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          core.callers.admit(channel).flatMapErrorThrowing { error in
            core.logRefusal(ofCaller: error)
            throw Failure(.peerRejected, "The connection belongs to another user or a sandbox.")
          }.flatMapThrowing { try begin(channel, address.host, core) }
        }
        .bind(host: address.host, port: Int(address.port)).get()
      try await channel.pipeline.addHandler(ListenerErrors(.webSocket, core))
    } catch {
      throw Failure(
        .usage, "The WebSocket cannot listen at port \(address.port) of \(address.host).",
        remedy: "Specify another port, or 0 for any free port.")
    }
    let port = channel.localAddress?.port ?? Int(address.port)
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    return WebSocketListener(channel: channel, address: "ws://\(host):\(port)/bridge")
  }

  /// Sets up a new connection for the HTTP handshake.
  private static func begin(_ channel: any Channel, _ host: String, _ core: ServiceCore) throws {
    guard let port = channel.localAddress?.port else { throw ChannelError.inputClosed }
    try CloseOnExecSocket.set(channel)
    let hosts = LoopbackAddress.hostHeaders(host, port: port)
    let gate = RequestGate(
      hosts: hosts,
      grants: ConnectionGrants(
        current: core.grants, own: Grants(core.page?.grants(hosts) ?? []), isAsking: core.asked != nil),
      page: core.page?.content)
    let limit = HandshakeLimit(core)
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(limit)
    let handler = HTTPHandler(gate, core)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: core.limits.messageBytes, automaticErrorHandling: false,
      shouldUpgrade: { channel, head in
        guard case .upgrade = gate.decide(head) else { return channel.eventLoop.makeSucceededFuture(nil) }
        return channel.eventLoop.makeSucceededFuture([:])
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture { try open(channel, gate, gate.decide(head), core) }
      })
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false,
      withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }),
      withErrorHandling: false, withOutboundHeaderValidation: true, withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: limits(core))
    let upgrade = try pipeline.context(handlerType: HTTPServerUpgradeHandler.self).handler
    guard let upgrade = upgrade as? HTTPServerUpgradeHandler else { throw ChannelPipelineError.notFound }
    try pipeline.addHandler(handler, position: .before(upgrade))
  }

  /// Replaces the HTTP handlers after the handshake. From then on the connection works like one on the Unix socket.
  private static func open(
    _ channel: any Channel, _ gate: RequestGate, _ decision: RequestGate.Decision, _ core: ServiceCore
  ) throws {
    guard case .upgrade(let origin) = decision else { throw ChannelPipelineError.notFound }
    let caller = Caller.web(origin: origin)
    let isStranger = !gate.grants.hasGrant(caller)
    let isAdmitted = core.quota.enter(caller, isStranger: isStranger)
    if isAdmitted { channel.closeFuture.whenComplete { _ in core.quota.leave(caller, isStranger: isStranger) } }
    let pipeline = channel.pipeline.syncOperations
    for context in [
      try pipeline.context(handlerType: HTTPHandler.self), try pipeline.context(handlerType: HandshakeLimit.self),
    ] {
      pipeline.removeHandler(context: context, promise: nil)
    }
    let decoder = try pipeline.context(handlerType: ByteToMessageHandler<WebSocketFrameDecoder>.self).handler
    guard let decoder = decoder as? ByteToMessageHandler<WebSocketFrameDecoder> else {
      throw ChannelPipelineError.notFound
    }
    try pipeline.addHandler(OversizeFrameHandler(longest: core.limits.messageBytes), position: .before(decoder))
    try pipeline.addHandler(WebSocketFraming(longest: core.limits.messageBytes))
    try pipeline.addHandler(ConnectionHandler(core, caller, gate.grants, isAdmitted: isAdmitted))
  }

  private static func limits(_ core: ServiceCore) -> NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = core.limits.handshakeBytes
    limits.maxHeaderListSize = core.limits.handshakeBytes
    limits.maxHeaderFieldCount = 64
    return limits
  }
}
