import Failures

/// What a service serves, and where.
public struct ServiceConfiguration: Sendable {
  /// Of the Unix socket. What systemd hands over comes first.
  public var socketPath: String
  /// nil for no WebSocket.
  public var webSocket: LoopbackAddress?
  public var grants: Grants
  public var limits = ServiceLimits()
  /// Whether the page of metrics is served, beside the socket of the bridge.
  public var hasMetrics = false
  /// Whether a socket that systemd hands over is taken.
  public var isActivatedBySystemd = false

  public init(socketPath: String, webSocket: LoopbackAddress? = nil, grants: Grants = Grants()) {
    self.socketPath = socketPath
    self.webSocket = webSocket
    self.grants = grants
  }
}
