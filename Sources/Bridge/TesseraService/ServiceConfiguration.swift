import FoundationEssentials
import Glibc
public import TesseraCore
package import TesseraMetrics

/// The sockets, permissions and limits of a service.
public struct ServiceConfiguration: Sendable {
  /// The absolute path of the Unix socket. Its folder must belong to the user and is created if it is missing.
  public var socketPath: String
  /// The address of the WebSocket for web pages; nil for none.
  public var webSocket: LoopbackAddress?
  /// Whether programs of this user in a sandbox or another container may connect to the WebSocket, such as a browser of a
  /// Flatpak. Any of them can then pose as a granted page, and those of Passage's sandbox too.
  public var admitsSandboxes = false
  /// The page that the service serves at the address of the WebSocket; nil for none.
  public var page: ServicePage?
  /// The permissions of web pages and local programs. By default pages have none, and local programs have all.
  public var grants: Grants
  /// How the user is asked about pages of this machine that no grant mentions; nil if nobody is asked.
  package var questions: Questions?
  public var limits: ServiceLimits
  /// Whether metrics are served in the Prometheus text format, on `metrics.sock` in the folder of `socketPath`.
  public var hasMetrics: Bool
  /// Where other parts of the program count, too; nil for figures of the service alone.
  package var metrics: PrometheusMetrics?
  /// Whether the service uses a socket that systemd passes to the process (sd_listen_fds(3)) instead of `socketPath`.
  public var isActivatedBySystemd: Bool

  package struct Questions: Sendable {
    /// The grants file, which receives the answers; nil if nothing is kept.
    package var file: String?
    package var asking: PermissionQuestions

    package init(file: String?, _ asking: PermissionQuestions) { (self.file, self.asking) = (file, asking) }
  }

  public init(
    socketPath: String, webSocket: LoopbackAddress? = nil, grants: Grants = Grants(),
    limits: ServiceLimits = ServiceLimits(), hasMetrics: Bool = false, isActivatedBySystemd: Bool = false
  ) {
    self.socketPath = socketPath
    self.webSocket = webSocket
    self.grants = grants
    self.limits = limits
    self.hasMetrics = hasMetrics
    self.isActivatedBySystemd = isActivatedBySystemd
  }

  /// A service on the standard socket only: `$XDG_RUNTIME_DIR/tessera/bridge.sock`.
  ///
  /// - Throws: `Failure` of the kind `usage` if the user has no runtime directory.
  public init() throws(Failure) {
    self.init(socketPath: try SocketPath.standard(ProcessInfo.processInfo.environment))
  }
}

/// The limits for one connection, one web origin and all clients together.
///
/// A request beyond a limit is answered with `TOO_MANY_REQUESTS`, a connection is closed with a `ClosingReason`, and an
/// HTTP request before the WebSocket handshake is answered with an HTTP status. The JSON reader limits the nesting
/// depth of messages (`JSONValue.maximumNesting`).
public struct ServiceLimits: Sendable, Equatable {
  /// The maximum length in bytes of one message from a client. A scan result has about ten thousand bytes.
  public var messageBytes = 1 << 20
  /// The maximum number of unanswered requests of one connection.
  public var requestsInFlight = 64
  /// The maximum number of connections of local programs, and also of all web pages together.
  public var connections = 1_024
  /// The maximum number of connections of one web origin.
  public var connectionsPerOrigin = 32
  /// The sustained rate of requests per second of one web origin, over all its connections.
  public var requestsPerSecond = 100
  /// The number of requests that a web origin may send at once after a pause. A message of more than `rateBytes` counts
  /// as several requests.
  public var requestBurst = 200
  /// The length in bytes that counts as one request.
  public var rateBytes = 16 << 10
  /// The length in bytes of a response that counts as one additional request.
  public var rateAnswerBytes = 64 << 10
  /// The number of list entries in a response that count as one additional request.
  public var rateEntries = 50
  /// The number of requests beyond the rate that are answered with an error. After that the connection is closed, since
  /// parsing has a cost, too.
  public var requestDebt = 1_000
  /// A connection is closed after this time without a message and without a request under way.
  public var idleTime = Duration.seconds(600)
  /// The maximum number of unread bytes of one client. Beyond a fraction of it, the service reads no more requests from
  /// that client.
  public var outgoingBytes = 4 << 20
  /// The maximum number of unread bytes of all connections of one web origin. Beyond it, the connection with the most
  /// unread bytes is closed.
  public var outgoingBytesPerOrigin = 16 << 20
  /// The same maximum for all connections of local programs.
  public var outgoingBytesOfPrograms = 64 << 20
  /// The maximum number of pending WebSocket handshakes. Beyond it, the oldest one is closed.
  public var handshakes = 128
  /// The maximum time from the TCP connection to the complete HTTP request.
  public var handshakeTime = Duration.seconds(10)
  /// The maximum length in bytes of the HTTP request.
  public var handshakeBytes = 16 << 10
  /// The time that a client has to read the closing reason.
  public var closingTime = Duration.seconds(2)
  /// The time that requests have to end when the service stops.
  public var stoppingTime = Duration.seconds(5)

  public init() {}
}
