internal import FoundationEssentials
internal import NIOCore
internal import TesseraHTTPClient

/// Asks a proxy for HTTP to connect to the server (RFC 9110, 9.3.6), and removes itself when the proxy has done so.
final class ProxyTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// In bytes: of the response's head.
  private static let maximumHead = 16 << 10

  private let request: String
  private let refusal: SocketError
  private let promise: EventLoopPromise<Void>
  private var head = ByteBuffer()
  private var isEstablished = false

  /// - Parameter promise: succeeds when there is a connection to the server.
  init(_ proxy: ProxySettings.Proxy, to address: SocketServerAddress, _ promise: EventLoopPromise<Void>) {
    // The port is never left out here.
    let server = "\(address.origin.host):\(address.port)"
    var lines = ["CONNECT \(server) HTTP/1.1", "Host: \(server)", "User-Agent: tessera"]
    if let credentials = proxy.credentials {
      let text = Data("\(credentials.user):\(credentials.password)".utf8).base64EncodedString()
      lines.append("Proxy-Authorization: Basic \(text)")
    }
    request = (lines + ["", ""]).joined(separator: "\r\n")
    refusal = .http(.proxyRefused(host: proxy.host))
    self.promise = promise
  }

  func handlerAdded(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    // What waits for the promise adds the handlers of TLS, so this one must be gone.
    if isEstablished { promise.succeed() } else { promise.fail(refusal) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    promise.fail(refusal)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(refusal) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var data = unwrapInboundIn(data)
    head.writeBuffer(&data)
    guard head.readableBytes <= Self.maximumHead else { return promise.fail(refusal) }
    let bytes = head.readableBytesView
    guard let end = bytes.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) else { return }
    // The server speaks only after the client, so nothing may follow the head.
    guard end.upperBound == bytes.endIndex, Self.isSuccess(bytes) else { return promise.fail(refusal) }
    isEstablished = true
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  /// Whether the head begins with `HTTP/1.x 2yz` and a space or a line's end.
  private static func isSuccess(_ head: ByteBufferView) -> Bool {
    let line = Array(head.prefix(13))
    return line.count == 13 && line.starts(with: Array("HTTP/1.".utf8)) && line[8] == UInt8(ascii: " ")
      && line[9] == UInt8(ascii: "2") && line[10...11].allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      && [UInt8(ascii: " "), 0x0D].contains(line[12])
  }
}
