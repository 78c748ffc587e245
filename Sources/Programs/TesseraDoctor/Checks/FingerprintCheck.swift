import Glibc
import TesseraDBus
import TesseraFingerprint

/// Checks that fprintd finds a reader, and an enrolled finger of this user; and that polkit knows the action by which
/// Tessera asks for the password instead.
struct FingerprintCheck: DiagnosticCheck {
  let title = "Fingerprint reader"
  private let reader: FingerprintReader

  init() {
    var limits = FingerprintReader.Limits()
    // The check must end before the time limit of all checks, which would replace its other findings.
    (limits.call, limits.cleanup) = (.seconds(4), .milliseconds(500))
    reader = FingerprintReader(limits: limits)
  }

  /// Where distributions install fprintd.
  private static var isServiceInstalled: Bool {
    ["/usr/libexec/fprintd", "/usr/lib/fprintd", "/usr/lib/fprintd/fprintd"].contains { path in
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
  }

  /// Whether anything can be said about services of the system: a container has none.
  private static var hasSystemBus: Bool {
    do {
      _ = try BusConnection.open(.system)
      return true
    } catch {
      return error != .noBus
    }
  }

  func findings() async -> [Finding] { [await readerFinding(), policyFinding] }

  private func readerFinding() async -> Finding {
    do {
      let count = try await reader.enrolledFingers().count
      return ok("fingerprint", count == 1 ? "One finger of this user is enrolled." : "\(count) fingers are enrolled.")
    } catch let error as FingerprintError {
      return finding(error)
    } catch {
      return timeoutFinding
    }
  }

  private func finding(_ error: FingerprintError) -> Finding {
    let failure = error.failure
    let remedy = failure.remedy ?? "Try again."
    switch error {
    case .serviceUnavailable where !Self.hasSystemBus:
      return information(
        "fingerprint.none", "fprintd cannot be asked for a fingerprint reader: there is no system bus here.",
        remedy: "Start the bus if this machine has a reader.",
        correction: .root(SystemDaemon.bus.startInstalled, isOptional: true))
    case .serviceUnavailable where Self.isServiceInstalled:
      return problem(
        "fingerprint.service", "fprintd is installed, and the system bus does not know it.",
        remedy: "Install the package again, and restart the service.", correction: restart)
    case .serviceFailed:
      return problem("fingerprint.service", failure.cause, remedy: remedy, correction: restart)
    case .serviceUnavailable:
      return information(
        "fingerprint.none", "fprintd is not installed, so there is no fingerprint reader.",
        remedy: "Install it if this machine has a reader.",
        correction: .root([.install(["fprintd"])], isOptional: true))
    case .noReader:
      return information(
        "fingerprint.none", "fprintd finds no fingerprint reader.",
        remedy: "Connect a reader that libfprint supports, and show what is connected.", command: "lsusb")
    case .noEnrolledFinger:
      return information(
        "fingerprint.enrol", "No finger of this user is enrolled.", remedy: "Enrol one.", command: EnrolCommand.current)
    case .permissionDenied where !LocalSession.isActive:
      return information(
        "fingerprint.access", "\(failure.cause) This user has no active session at this machine.",
        remedy: LocalSession.remedy)
    case .permissionDenied:
      return problem("fingerprint.access", failure.cause, remedy: remedy, command: "loginctl session-status")
    // Some readers take longer to wake up.
    case .serviceSilent, .timedOut: return timeoutFinding
    case .serviceEnded:
      return problem("fingerprint.silent", failure.cause, remedy: "Restart it.", correction: restart)
    case .readerInUse, .readerDisconnected, .noMatch, .readerFailed:
      return problem("fingerprint.failed", failure.cause, remedy: remedy, correction: restart)
    }
  }

  private var restart: Correction { .root(SystemDaemon.fprintd.restart) }

  var timeoutFinding: Finding {
    information(
      "fingerprint.silent", "fprintd did not answer within some seconds.",
      remedy: "Run the check again. If the result is the same, restart fprintd.", command: restart.line)
  }

  private var policyFinding: Finding {
    switch PolicyFile.state {
    case .installed: ok("fingerprint.policy", "\(PolicyFile.path) is installed.")
    case .different:
      information(
        "fingerprint.policy", "\(PolicyFile.path) differs from the file of this version of Tessera.",
        remedy: "Install the file of this version, unless the difference is intended.",
        correction: PolicyFile.installation)
    case .missing:
      information(
        "fingerprint.policy",
        "\(PolicyFile.path) is not installed. `tessera serve --allow-password` needs it to ask for the password.",
        remedy: "Install it if you use that option.", correction: PolicyFile.installation)
    }
  }
}
