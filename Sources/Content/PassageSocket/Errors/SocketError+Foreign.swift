internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import NIOWebSocket
internal import TesseraHTTPClient

extension SocketError {
  /// An error of NIO before the WebSocket is open.
  ///
  /// - Parameter proxy: the host of the proxy on the way.
  init(whileConnecting error: any Error, host: String, proxy: String?) {
    switch error {
    case let error as SocketError: self = error
    case is NIOHTTPClientUpgradeError: self = .noWebSocket
    case HTTPParserError.invalidEOFState, is ChannelError: self = .interrupted
    case is NIOWebSocketError: self.init(whileOpen: error)
    default:
      switch HTTPError(error, host: host, proxy: proxy) {
      case .invalidResponse: self = .noWebSocket
      case .interrupted: self = .interrupted
      case let error: self = .http(error)
      }
    }
  }

  /// An error of NIO on the open WebSocket.
  init(whileOpen error: any Error) {
    switch error {
    case let error as SocketError: self = error
    case let error as NIOWebSocketError:
      switch error {
      case .invalidFrameLength: self = .invalidFrame(.tooLarge)
      case .fragmentedControlFrame: self = .invalidFrame(.fragmentation)
      case .multiByteControlFrameLength: self = .invalidFrame(.controlLength)
      }
    default: self = .interrupted
    }
  }

  /// The status code with which the client closes the WebSocket for this reason (RFC 6455, 7.4.1).
  var closingCode: WebSocketErrorCode {
    switch self {
    case .invalidFrame(.tooLarge): .messageTooLarge
    case .invalidMessage(.unannounced): .unacceptableData
    case .invalidFrame(.malformedText): .dataInconsistentWithMessage
    case .invalidFrame, .invalidMessage: .protocolError
    case .flooded: .policyViolation
    default: .normalClosure
    }
  }
}
