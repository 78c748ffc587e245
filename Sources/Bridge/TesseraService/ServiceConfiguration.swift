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
