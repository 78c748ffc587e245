import FoundationEssentials
public import TesseraCore
internal import TesseraDBus

/// An error of the fingerprint service or of its reader. No case says anything about a finger.
public enum FingerprintError: Error, Sendable, Equatable {
  /// There is no system bus, or fprintd is not installed.
  case serviceUnavailable
  /// fprintd is installed and could not be started; the text is the error name of the bus.
  case serviceFailed(String)
  /// The service has ended during the operation.
  case serviceEnded
  /// The service did not answer this method in time.
  case serviceSilent(method: String)
  case noReader
  /// No finger of this user is enrolled at any reader.
  case noEnrolledFinger
  /// Another session or program uses the reader.
  case readerInUse
  /// The reader was unplugged during the operation.
  case readerDisconnected
  /// The system does not permit this user to use the reader.
  case permissionDenied
  /// No try showed an enrolled finger, or the one that the reader expected.
  case noMatch
  /// No finger was recognised in time.
  case timedOut
  /// The service or the reader failed; the text is the word or the error name of the service.
  case readerFailed(String)
}

extension FingerprintError {
  /// The error for a failed call of the service.
  ///
  /// - Parameter method: The D-Bus method, or the signal that was waited for.
  init(_ error: BusError, in method: String) {
    self =
      switch error {
      case .noBus: .serviceUnavailable
      case .disconnected, .peerVanished: .serviceEnded
      // The caller tells an interruption from a silent service.
      case .timedOut, .interrupted: .serviceSilent(method: method)
      case .remote(let name): Self(remote: name)
      case .malformed, .invalidArgument: .readerFailed("malformed reply to \(method)")
      case .system(_, let code): .readerFailed("errno \(code)")
      }
  }

  /// fprintd's names (net.reactivated.Fprint.Device.xml), and those of the bus (D-Bus specification).
  private init(remote name: String) {
    self =
      switch name {
      case "net.reactivated.Fprint.Error.NoSuchDevice": .noReader
      case "net.reactivated.Fprint.Error.NoEnrolledPrints": .noEnrolledFinger
      case "net.reactivated.Fprint.Error.AlreadyInUse": .readerInUse
      case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied":
        .permissionDenied
      // The bus answers for a service that has gone: calls have the unique name of one run of it.
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner":
        .serviceEnded
      // The service removes the object of a reader that was unplugged.
      case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod",
        "org.freedesktop.DBus.Error.UnknownInterface":
        .readerDisconnected
      default: .readerFailed(name)
      }
  }
}

extension FingerprintError: FailureConvertible {
  /// The machine word of the error, for example in `details.reason` of a bridge response.
  package var word: String {
    switch self {
    case .serviceUnavailable: "no_service"
    case .serviceFailed: "service_failed"
    case .serviceEnded: "service_ended"
    case .serviceSilent: "service_silent"
    case .noReader: "no_reader"
    case .noEnrolledFinger: "not_enrolled"
    case .readerInUse: "in_use"
    case .readerDisconnected: "disconnected"
    case .permissionDenied: "permission_denied"
    case .noMatch: "no_match"
    case .timedOut: "timed_out"
    case .readerFailed: "reader_failed"
    }
  }

  public var failure: Failure {
    var failure = description(self)
    failure.details["reason"] = word
    return failure
  }

  private func description(_ error: FingerprintError) -> Failure {
    switch error {
    case .serviceUnavailable:
      Failure(
        .noFingerprintReader, "The fingerprint service (fprintd) is not available.",
        remedy: "Install fprintd if this machine has a fingerprint reader.")
    case .serviceFailed(let error):
      Failure(
        .serviceUnavailable, "The fingerprint service (fprintd) is installed and could not be started.",
        remedy: "Read its messages with `journalctl -u fprintd`, correct the cause, and restart fprintd.",
        details: ["error": error])
    case .serviceEnded:
      Failure(.serviceUnavailable, "The fingerprint service (fprintd) ended during the request.", remedy: "Try again.")
    case .serviceSilent(let method):
      Failure(
        .serviceUnavailable, "The fingerprint service (fprintd) did not answer in time.",
        remedy: "Try again. If it happens again, restart the service fprintd.", details: ["method": method])
    case .noReader:
      Failure(
        .noFingerprintReader, "There is no fingerprint reader.", remedy: "Connect a reader that libfprint supports.")
    case .noEnrolledFinger:
      Failure(
        .notEnrolled, "No finger of this user is enrolled.",
        remedy: "Enrol one with the command: \(EnrolCommand.current)", details: ["command": EnrolCommand.current])
    case .readerInUse:
      Failure(
        .serviceUnavailable, "Another session or program is using the fingerprint reader.",
        remedy: "End its request, for example a locked screen of another session, and try again.")
    case .readerDisconnected:
      Failure(
        .serviceUnavailable, "The fingerprint reader was disconnected.", remedy: "Connect the reader and try again.")
    case .permissionDenied:
      Failure(
        .serviceUnavailable, "The system does not permit this user to use the fingerprint reader.",
        remedy: "Use the machine in a local session, or permit net.reactivated.fprint.device.verify in polkit.")
    case .noMatch:
      Failure(.confirmationRefused, "The finger was not recognised.", remedy: "Try again with an enrolled finger.")
    case .timedOut:
      Failure(
        .confirmationRefused, "No finger was recognised in time.", remedy: "Try again and touch the fingerprint reader."
      )
    case .readerFailed(let word):
      Failure(
        .serviceUnavailable, "The fingerprint reader failed.", remedy: "Try again. If it fails again, restart fprintd.",
        details: ["error": word])
    }
  }
}

/// The command that opens the place where this desktop enrols fingers.
package enum EnrolCommand {
  package static var current: String { text(ProcessInfo.processInfo.environment) }

  /// - Parameter environment: `XDG_CURRENT_DESKTOP` lists the names of the desktop, separated by colons (Desktop Entry
  ///   Specification, `OnlyShowIn`).
  package static func text(_ environment: [String: String]) -> String {
    let names = environment["XDG_CURRENT_DESKTOP", default: ""].split(separator: ":").map { $0.lowercased() }
    if names.contains("gnome") { return "gnome-control-center user-accounts" }
    if names.contains("kde") { return "systemsettings kcm_users" }
    return "fprintd-enroll"
  }
}
