import CTesseraSystemd
import Glibc
import TesseraCore

/// The interface to systemd for a service that it starts (sd_listen_fds(3), sd_notify(3)). Has no effect without
/// systemd.
package enum ServiceManager {
  /// Returns the listening Unix socket that systemd passed, if any. Must be called once, before other threads start.
  ///
  /// - Throws: `Failure` of the kind `usage` if systemd passed another kind of socket, or more than one.
  static func activatedSocket() throws(Failure) -> Int32? {
    let count = sd_listen_fds(1)
    guard count != 0 else { return nil }
    let descriptor: Int32 = 3  // SD_LISTEN_FDS_START
    guard count == 1, sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
      throw Failure(
        .usage, "systemd passed sockets that the service does not support.",
        remedy: "Set exactly one ListenStream= in the socket unit, with the path of a Unix socket.")
    }
    return descriptor
  }

  package static func isReady() { sd_notify(0, "READY=1") }
  package static func isStopping() { sd_notify(0, "STOPPING=1") }
}
