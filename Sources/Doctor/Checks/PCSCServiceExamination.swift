import Foundation
import SmartCard

/// The PC/SC daemon: whether it is installed, runs and lets this user in.
struct PCSCServiceExamination: Examination {
  let title = "PC/SC service"

  func findings() async -> [Finding] {
    do {
      let count = try await PCSCContext().readers().count
      let readers = count == 1 ? "1 reader" : "\(count) readers"
      return [ok("pcsc.service", "pcscd answers this user and lists \(readers).")]
    } catch {
      return [finding(for: error, LocalSocket.connect(Self.socket))]
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
        command: "sudo apt-get install -y pcscd libccid")
    case .missing:
      problem(
        "pcsc.notRunning", "pcscd is installed and does not run: \(Self.socket) does not exist.",
        remedy: "Let systemd start it whenever a program asks for it.",
        command: "sudo systemctl enable --now pcscd.socket")
    case .abandoned:
      problem(
        "pcsc.notRunning", "pcscd has ended and left its socket behind: nobody listens at \(Self.socket).",
        remedy: "Start it anew.", command: Self.restart)
    case .denied:
      problem(
        "pcsc.socketAccess", "This user may not open pcscd's socket \(Self.socket).",
        remedy: "Give the socket and its folder back the permissions that they are made with.",
        command: "sudo chmod a+x \(Shell.word(Self.folder)) && sudo chmod a+rw \(Shell.word(Self.socket))")
    case .connected where error == .accessDenied || isPolkitAsked: refusal
    case .connected, .failed:
      problem(
        "pcsc.broken", "pcscd does not serve this program: \(error.failure.cause)",
        remedy: "Start it anew, and see that pcscd and libpcsclite1 have the same version.", command: Self.restart)
    }
  }

  /// A daemon that was built with polkit closes the connection of a client that may not use it, before it says
  /// anything: the client sees a reset or an end, whichever comes first.
  private var refusal: Finding {
    problem(
      "pcsc.polkit", "pcscd's polkit policy does not let this user talk to readers.",
      remedy: "Log in at the machine itself, or let this user in from everywhere by a rule of polkit's.",
      command: PolkitRule.installation)
  }

  /// The policy comes with a daemon that asks polkit; Debian 12's own does not.
  private var isPolkitAsked: Bool {
    FileManager.default.fileExists(atPath: "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy")
  }

  /// Where pcscd's library looks for it.
  private static let socket = ProcessInfo.processInfo.environment["PCSCLITE_CSOCK_NAME"] ?? "/run/pcscd/pcscd.comm"
  private static let folder = URL(fileURLWithPath: socket).deletingLastPathComponent().path
  private static let restart = "sudo systemctl restart pcscd.socket pcscd.service"

  /// nil where it is not installed.
  static var program: String? {
    ["/usr/sbin/pcscd", "/usr/bin/pcscd", "/usr/local/sbin/pcscd"].first { access($0, X_OK) == 0 }
  }
}

/// A rule that lets one user talk to pcscd and to cards from any session (pcsc-lite's README.polkit; polkit(8)).
private enum PolkitRule {
  static var installation: String {
    let rule =
      "polkit.addRule(function(action, subject) { if (subject.user == \(javaScript(Account.name)) && "
      + #"/^org\.debian\.pcsc-lite\.access_(pcsc|card)$/.test(action.id)) return polkit.Result.YES; });"#
    return "echo \(Shell.word(rule)) | sudo tee /etc/polkit-1/rules.d/60-tessera-pcsc.rules > /dev/null"
  }

  /// The text as a literal.
  private static func javaScript(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      if "-_.".unicodeScalars.contains(scalar) || scalar.isASCII && scalar.properties.isAlphabetic
        || ("0"..."9").contains(scalar)
      {
        return String(scalar)
      }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    return "\"\(escaped.joined())\""
  }
}
