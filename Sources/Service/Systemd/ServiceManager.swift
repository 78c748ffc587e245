import CSystemd
import Failures
import Glibc

/// What systemd and a service that it starts tell each other (sd_listen_fds(3), sd_notify(3)). Without systemd, nothing.
enum ServiceManager {
  /// The listening Unix socket that was handed over, if any; to be asked once, before threads are started.
  ///
  /// - Throws: `Failure` of the kind `usage` for sockets of another kind, or more than one.
  static func activatedSocket() throws(Failure) -> Int32? {
    let count = sd_listen_fds(1)
    guard count != 0 else { return nil }
    let descriptor: Int32 = 3  // SD_LISTEN_FDS_START
    guard count == 1, sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
      throw Failure(
        .usage, "The service was started with sockets that it does not serve.",
        remedy: "Its socket unit has one ListenStream= with the path of a Unix socket.")
    }
    return descriptor
  }

  static func isReady() { sd_notify(0, "READY=1") }
  static func isStopping() { sd_notify(0, "STOPPING=1") }
}
