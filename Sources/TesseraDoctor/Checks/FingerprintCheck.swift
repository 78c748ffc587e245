import Glibc
import TesseraFingerprint

/// Checks that fprintd finds a reader, and an enrolled finger of this user; and that polkit knows the action by which
/// Tessera asks for the password instead.
struct FingerprintCheck: DiagnosticCheck {
  let title = "Fingerprint reader"
  private let reader: FingerprintReader
  private let isServiceInstalled: Bool

  /// - Parameter isServiceInstalled: whether fprintd is installed; nil to look for its program.
  init(reader: FingerprintReader = FingerprintReader(), isServiceInstalled: Bool? = nil) {
    self.reader = reader
    let programs: [String] = ["/usr/libexec/fprintd", "/usr/lib/fprintd/fprintd"]
    self.isServiceInstalled = isServiceInstalled ?? programs.contains { access($0, X_OK) == 0 }
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
    case .serviceUnavailable where isServiceInstalled:
      return problem(
        "fingerprint.service", "fprintd is installed and cannot be started.",
        remedy: "Start it, and read its messages.", command: restart)
    case .serviceUnavailable:
      return information(
        "fingerprint.none", "fprintd is not installed, so there is no fingerprint reader.",
        remedy: "Install it if this machine has a reader.",
        command: RootCommand.line([.run("apt-get install -y fprintd")]))
    case .noReader:
      return information(
        "fingerprint.none", "fprintd finds no fingerprint reader.",
        remedy: "Connect a reader that libfprint supports, and show what is connected.", command: "lsusb")
    case .noEnrolledFinger:
      return information(
        "fingerprint.enrol", "No finger of this user is enrolled.", remedy: "Enrol one.", command: EnrolCommand.current)
    case .permissionDenied:
      return problem("fingerprint.access", failure.cause, remedy: remedy, command: "loginctl session-status")
    case .serviceSilent, .serviceEnded:
      return problem("fingerprint.silent", failure.cause, remedy: "Restart it.", command: restart)
    case .readerInUse, .readerDisconnected, .noMatch, .timedOut, .readerFailed:
      return problem("fingerprint.failed", failure.cause, remedy: remedy, command: restart)
    }
  }

  private var restart: String { RootCommand.line(SystemDaemon.fprintd.restart) }

  var timeoutFinding: Finding {
    problem(
      "fingerprint.silent", "fprintd did not answer within \(Doctor.limit).", remedy: "Restart it.", command: restart)
  }

  private var policyFinding: Finding {
    switch PolicyFile.state {
    case .installed: ok("fingerprint.policy", "\(PolicyFile.path) is installed.")
    case .different:
      information(
        "fingerprint.policy", "\(PolicyFile.path) differs from the file of this version of Tessera.",
        remedy: "Install the file of this version, unless the difference is intended.",
        command: PolicyFile.installation)
    case .missing:
      information(
        "fingerprint.policy",
        "\(PolicyFile.path) is not installed. `tessera serve --allow-password` needs it to ask for the password.",
        remedy: "Install it if you use that option.", command: PolicyFile.installation)
    }
  }
}
