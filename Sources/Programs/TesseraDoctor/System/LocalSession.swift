internal import CTesseraSystemd
import Glibc

/// The session of this user at the screen and keyboard of this machine.
enum LocalSession {
  /// Whether the user has an active one. logind then permits the cameras and the fingerprint reader; over ssh, in a
  /// container or on another console it does not, which is no defect of the system. Also false without logind.
  ///
  /// Source: sd_uid_get_seats(3).
  static var isActive: Bool { sd_uid_get_seats(getuid(), 1, nil) > 0 }

  /// What to do without one.
  static let remedy = "Run this in the session at the screen of this machine if you want to use the device there."
}
