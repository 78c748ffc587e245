import FoundationEssentials
import Glibc
import TesseraReaders

/// Checks that the PC/SC daemon is installed and running, and that this user may use it.
package struct PCSCServiceCheck: DiagnosticCheck {
  let title = "PC/SC service"

  func findings() async -> [Finding] {
    do {
      let count = try await PCSCContext().readers().count
      // polkit has separate actions for the daemon and for cards.
      if PCSCService.hasPolkit, await Polkit.answer(.useCards) == .refused { return [refusal] }
      return [ok("pcsc.service", "pcscd accepts this user and lists \(count == 1 ? "1 reader" : "\(count) readers").")]
    } catch {
      let outcome = LocalSocket.connect(PCSCService.socket)
      if outcome == .connected, PCSCService.hasPolkit {
        switch await Polkit.answer(.talkToService) {
        case .refused: return [refusal]
        case .missing: return [missingPolkit]
        case .authorized, .unknown: break
        }
      }
      return [finding(for: error, outcome)]
    }
  }

  var timeoutFinding: Finding {
    problem(
      "pcsc.silent", "pcscd accepts connections but does not respond.", remedy: "Restart it.", correction: Self.restart)
  }

  private func finding(for error: CardError, _ outcome: LocalSocket.Outcome) -> Finding {
    switch outcome {
    case .missing where Self.program == nil:
      problem(
        "pcsc.notInstalled", "pcscd, the daemon for card readers, is not installed.",
        remedy: "Install it with the driver for USB readers.",
        correction: .root(Self.startCommands(outcome)))
    case .missing:
      notRunning(
        "pcscd is installed but not running: \(PCSCService.socket) does not exist", Self.startCommands(outcome))
    case .abandoned:
      notRunning(
        "pcscd has terminated: no process listens at its socket \(PCSCService.socket)", Self.startCommands(outcome))
    case .denied:
      problem(
        "pcsc.socketAccess", "This user has no permission to open the socket of pcscd, \(PCSCService.socket).",
        remedy: "Restore the default permissions of the socket and its folder.",
        correction: .root([
          .run("chmod a+x \(Shell.word(Self.folder))"), .run("chmod a+rw \(Shell.word(PCSCService.socket))"),
        ]))
    case .connected, .failed: broken(error)
    }
  }

  /// The daemon accepts connections. It may be another system's, whose socket is mounted into this container: then what is
  /// installed here says nothing about it, and a restart would be of another one.
  private func broken(_ error: CardError) -> Finding {
    switch error {
    case .accessDenied:
      problem(
        "pcsc.refused", "pcscd is running and refuses this user. \(Self.refusalByOthers)",
        remedy: "Allow org.debian.pcsc-lite.access_pcsc and access_card with a polkit rule, where that pcscd runs.")
    case .sessionRefused(.otherVersion):
      problem("pcsc.version", "pcscd is running. \(error.failure.cause)", remedy: error.failure.remedy ?? Self.versions)
    case .sessionRefused(.unknown):
      problem(
        "pcsc.broken", "pcscd is running, or another program listens at its socket. \(error.failure.cause)",
        remedy: error.failure.remedy ?? Self.versions, correction: Self.restart)
    case .sessionRefused(.noPolkit): missingPolkit
    case .sessionRefused(.tooManySessions):
      problem(
        "pcsc.broken",
        "pcscd is running and closes each connection: it has 200 sessions open, or another program listens at "
          + "\(PCSCService.socket). \(Self.refusalByOthers)",
        remedy: "Restart it. If it is not of this machine, "
          + "allow org.debian.pcsc-lite.access_pcsc and access_card with a polkit rule there.",
        correction: Self.restart)
    default:
      problem(
        "pcsc.broken", "pcscd is running, but this program cannot use it: \(error.failure.cause)",
        remedy: "Restart it. \(Self.versions)", correction: Self.restart)
    }
  }

  private static let refusalByOthers =
    "A pcscd outside of this container refuses users in the same way, if its polkit does not allow them."
  private static let versions = "Check that pcscd and libpcsclite1 have the same version, also in a container."

  private func notRunning(_ cause: String, _ commands: [RootCommand]) -> Finding {
    let masked = Self.daemon.maskedUnits
    guard masked.isEmpty else {
      return problem(
        "pcsc.notRunning",
        "\(cause), and systemd cannot start it. Masked units: \(masked.joined(separator: ", ")).",
        remedy: "Unmask it, and enable its socket.", correction: .root(commands))
    }
    return problem(
      "pcsc.notRunning", "\(cause).",
      remedy: SystemDaemon.hasSystemd ? "Enable its socket, so that systemd starts it on demand." : "Start it.",
      correction: .root(commands))
  }

  /// A pcscd with polkit support closes the connection of a refused client without a response.
  private var refusal: Finding {
    problem(
      "pcsc.polkit",
      "polkit denies this user access to card readers. By default it allows only users with an active local session.",
      remedy: "Log in locally, or add a polkit rule for this user.",
      correction: Polkit.permission)
  }

  private var missingPolkit: Finding {
    problem(
      "pcsc.polkitMissing", "pcscd requires polkit, and polkit is not running: pcscd refuses all users.",
      remedy: "Start polkit. In a container, start pcscd without it: pcscd --disable-polkit", correction: Polkit.start)
  }

  /// What makes a pcscd run that does not.
  private static func startCommands(_ outcome: LocalSocket.Outcome) -> [RootCommand] {
    switch outcome {
    case .missing where program == nil: [.install(["pcscd", "libccid"])]
    case .abandoned: daemon.restart
    default: daemon.start
    }
  }

  /// What to do on this machine if pcscd does not run, with the command, without a full stop; nil if that is not the
  /// problem.
  package static var remedyOfMissingService: String? {
    let outcome = LocalSocket.connect(PCSCService.socket)
    let line = RootCommand.line(startCommands(outcome))
    switch outcome {
    case .missing where program == nil: return "Install the service: \(line)"
    case .missing, .abandoned: return "Start the service: \(line)"
    case .denied, .connected, .failed: return nil
    }
  }

  /// The command line that restarts pcscd on this machine.
  ///
  /// - Parameter packages: to install first.
  package static func restartLine(installing packages: [String] = []) -> String {
    RootCommand.line((packages.isEmpty ? [] : [.install(packages)]) + daemon.restart)
  }

  /// Whether pcscd and its driver vpcd are installed.
  package static var hasVirtualReader: Bool { program != nil && access("/etc/reader.conf.d/vpcd", F_OK) == 0 }

  private static let folder = URL(fileURLWithPath: PCSCService.socket).deletingLastPathComponent().path
  private static let daemon = SystemDaemon.pcscd
  private static let restart = Correction.root(daemon.restart)

  /// The path of pcscd; nil if it is not installed.
  static var program: String? {
    ["/usr/sbin/pcscd", "/usr/bin/pcscd", "/usr/local/sbin/pcscd"].first { access($0, X_OK) == 0 }
  }
}
