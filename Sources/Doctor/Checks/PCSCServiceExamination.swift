import Foundation
import SmartCard

/// The PC/SC daemon: whether it is installed, runs and lets this user in.
struct PCSCServiceExamination: Examination {
  let title = "PC/SC service"

  func findings() async -> [Finding] {
    do {
      let count = try await PCSCContext().readers().count
      // A daemon that lets everybody in may still keep the cards to some.
      if Polkit.isAskedByPCSC, await Polkit.answer(.useCards) == .refused { return [refusal] }
      return [ok("pcsc.service", "pcscd answers this user and lists \(count == 1 ? "1 reader" : "\(count) readers").")]
    } catch {
      let outcome = LocalSocket.connect(Self.socket)
      if outcome == .connected, Polkit.isAskedByPCSC {
        switch await Polkit.answer(.talkToService) {
        case .refused: return [refusal]
        case .missing: return [missingPolkit]
        case .authorized, .unknown: break
        }
      }
      return [finding(for: error, outcome)]
    }
  }

  var silence: Finding {
    problem(
      "pcsc.silent", "pcscd accepts connections and does not answer.", remedy: "Start it anew.", command: Self.restart)
  }

  private func finding(for error: CardError, _ outcome: LocalSocket.Outcome) -> Finding {
    switch outcome {
    case .missing where Self.program == nil:
      problem(
        "pcsc.notInstalled", "pcscd, which talks to card readers, is not installed.",
        remedy: "Install it together with the driver for USB readers.",
        command: RootCommand.line([.run("apt-get install -y pcscd libccid")]))
    case .missing: notRunning("pcscd is installed and does not run: \(Self.socket) does not exist", Self.daemon.start)
    case .abandoned:
      notRunning(
        "pcscd has ended and left its socket behind: nobody listens at \(Self.socket)", Self.daemon.restart)
    case .denied:
      problem(
        "pcsc.socketAccess", "This user may not open pcscd's socket \(Self.socket).",
        remedy: "Give the socket and its folder back the permissions that they are made with.",
        command: RootCommand.line([
          .run("chmod a+x \(Shell.word(Self.folder))"), .run("chmod a+rw \(Shell.word(Self.socket))"),
        ]))
    case .connected, .failed:
      problem(
        "pcsc.broken", "pcscd does not serve this program: \(error.failure.cause)",
        remedy: "Start it anew, and see that pcscd and libpcsclite1 have the same version.", command: Self.restart)
    }
  }

  private func notRunning(_ cause: String, _ commands: [RootCommand]) -> Finding {
    let masked = Self.daemon.maskedUnits
    guard masked.isEmpty else {
      return problem(
        "pcsc.notRunning",
        "\(cause), and systemd may not start it: somebody has masked \(masked.joined(separator: " and ")).",
        remedy: "Take the mask off, and let systemd start it.", command: RootCommand.line(commands))
    }
    return problem(
      "pcsc.notRunning", "\(cause).",
      remedy: SystemDaemon.hasSystemd ? "Let systemd start it whenever a program asks for it." : "Start it.",
      command: RootCommand.line(commands))
  }

  /// A daemon that was built with polkit closes the connection of a client that may not use it, before it says
  /// anything.
  private var refusal: Finding {
    problem(
      "pcsc.polkit",
      "polkit does not let this user use card readers; as a rule it lets in who is logged in at the machine itself.",
      remedy: "Log in at the machine, or let this user in from everywhere by a rule of polkit's.",
      command: Polkit.permission)
  }

  private var missingPolkit: Finding {
    problem(
      "pcsc.polkitMissing", "pcscd asks polkit who may use it, and polkit does not run: nobody may.",
      remedy: "Bring polkit up.", command: Polkit.start)
  }

  /// Where pcscd's library looks for it.
  private static let socket = ProcessInfo.processInfo.environment["PCSCLITE_CSOCK_NAME"] ?? "/run/pcscd/pcscd.comm"
  private static let folder = URL(fileURLWithPath: socket).deletingLastPathComponent().path
  private static let daemon = SystemDaemon.pcscd
  private static let restart = RootCommand.line(daemon.restart)

  /// nil where it is not installed.
  static var program: String? {
    ["/usr/sbin/pcscd", "/usr/bin/pcscd", "/usr/local/sbin/pcscd"].first { access($0, X_OK) == 0 }
  }
}
