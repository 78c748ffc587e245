import Logging
import NIOCore
import NIOHTTP1
import TesseraCore

/// Answers every HTTP request except a granted upgrade, and then closes. Passes a granted upgrade on to NIO's upgrader.
final class HTTPHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let gate: RequestGate
  private let core: ServiceCore
  private var isAnswered = false
  /// Whether only the head of the answer is wanted.
  private var isHead = false
  /// Whether the upgrade has begun. Later data may not be HTTP and belongs to the handlers behind.
  private var isUpgrading = false

  init(_ gate: RequestGate, _ core: ServiceCore) {
    self.gate = gate
    self.core = core
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isUpgrading else { return context.fireChannelRead(data) }
    guard !isAnswered, case .head(let head) = unwrapInboundIn(data) else { return }
    isHead = head.method == .HEAD
    switch gate.decide(head) {
    case .upgrade:
      isUpgrading = true
      context.fireChannelRead(data)
    case .script(let script, let host, let origin):
      let text = script.text(host: host, longestMessage: core.limits.messageBytes)
      answer(.ok, Self.headers(of: script, for: origin), text, context)
    case .explain(let script, let origin, let hasOrigin):
      core.measures.refusedConnection("ORIGIN")
      core.logRefusal(of: origin, .forbidden, "ORIGIN", head)
      let headers = Self.headers(of: script, for: hasOrigin ? origin.canonical : nil)
      answer(.ok, headers, script.explanation(for: origin), context)
    case .preflight(let origin):
      answer(.ok, Self.headers(allowing: origin, head), [], context)
    case .file(let file, let host, let hasOpener):
      answer(
        .ok, Self.headers(of: file, gate.page?.securityPolicy ?? "", host, hasOpener: hasOpener), file.bytes, context)
    case .refuse(let status, let reason, let origin):
      core.measures.refusedConnection(reason)
      core.logRefusal(of: origin, status, reason, head)
      if reason == "OPENER", let page = OpenerRefusal(origin, gate.grants) {
        return answer(status, page.headers, page.html, context)
      }
      let headers: HTTPHeaders =
        switch status {
        case .upgradeRequired: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]
        case .methodNotAllowed: ["Allow": "GET, HEAD"]
        default: [:]
        }
      answer(status, headers, Array("\(status.code) \(status.reasonPhrase)\n".utf8), context)
    }
  }

  private static func headers(allowing origin: String, _ head: HTTPRequestHead) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Methods": "GET", "Vary": "Origin",
    ]
    if head.headers["Access-Control-Request-Private-Network"] == ["true"] {
      headers.add(name: "Access-Control-Allow-Private-Network", value: "true")
    }
    return headers
  }

  private static func headers(of script: BridgeScript, for origin: String?) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      // Types are no script.
      "Content-Type": "\(script == .types ? "text/plain" : "text/javascript"); charset=utf-8",
      // A cross-origin isolated page loads only resources with this header.
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Vary": "Origin, Referer, Sec-Fetch-Site",
    ]
    if let origin { headers.add(name: "Access-Control-Allow-Origin", value: origin) }
    return headers
  }

  private static func headers(
    of file: BundledContent.File, _ policy: String, _ host: String, hasOpener: Bool
  ) -> HTTPHeaders {
    [
      "Content-Type": "\(file.mediaType); charset=utf-8",
      // Not every browser counts the WebSocket of the same host as 'self'.
      "Content-Security-Policy": policy.replacing("connect-src 'self'", with: "connect-src 'self' ws://\(host)"),
      "Cross-Origin-Opener-Policy": hasOpener ? "unsafe-none" : "same-origin",
      "Referrer-Policy": "no-referrer",
    ]
  }

  /// Answers input that is not HTTP.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isAnswered else { return }
    guard let error = error as? HTTPParserError, !isUpgrading else { return context.close(promise: nil) }
    guard error != .headerOverflow else {
      core.measures.refusedConnection("HANDSHAKE_BYTES")
      return answer(.requestHeaderFieldsTooLarge, [:], Array("431 Request Header Fields Too Large\n".utf8), context)
    }
    core.measures.refusedConnection("HTTP")
    answer(.badRequest, [:], Array("400 Bad Request\n".utf8), context)
  }

  private func answer(
    _ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ body: [UInt8], _ context: ChannelHandlerContext
  ) {
    isAnswered = true
    var all: HTTPHeaders = [
      "Content-Length": "\(body.count)", "Connection": "close", "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    ]
    all.add(contentsOf: headers)
    // A refused page must not be able to detect the service.
    if !headers.contains(name: "Cross-Origin-Resource-Policy") {
      all.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
    }
    if !headers.contains(name: "Content-Type") { all.add(name: "Content-Type", value: "text/plain; charset=utf-8") }
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: all)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isHead {
      context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: body)))), promise: nil)
    }
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      bound.value.close(mode: .output, promise: nil)
    }
    // Input is still read, since a close with unread input would discard the response. The handshake timeout ends it.
  }
}
