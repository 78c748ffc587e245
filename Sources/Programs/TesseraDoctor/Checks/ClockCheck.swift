import FoundationEssentials
import TesseraThreads
import TesseraVerification

/// Checks that the clock is not earlier than what was signed and verified on this machine: lists of countries that were
/// imported, and documents that a kiosk or a service read. Verdicts depend on the date.
struct ClockCheck: DiagnosticCheck {
  let title = "Clock"

  func findings() async -> [Finding] {
    var watched = [SigningTimeFile.standard(ProcessInfo.processInfo.environment).read()]
    // `OwnFolderCheck` reports a store that cannot be read.
    watched.append(try? await BlockingWork(name: "clock").run { try TrustStore().dates() }.newestSignature)
    let known = watched.compactMap(\.self)
    guard !known.isEmpty else {
      return [
        information("clock.unknown", "Nothing is known that was signed, so the clock cannot be judged.")
      ]
    }
    let now = Date()
    guard let newest = known.max(by: { $0.date < $1.date }), let problem = newest.problem(of: now) else {
      return [ok("clock", "The clock is not earlier than anything that was verified on this machine.")]
    }
    return [
      Finding(
        "clock.behind", .problem, title: title, cause: problem.cause, remedy: problem.remedy,
        // No correction for `tessera setup`: where no time service is installed, only the user can set the clock.
        // systemd-timedated answers it. The remedy names it already for what was imported.
        command: SystemDaemon.hasSystemd && problem.remedy?.contains("timedatectl") != true
          ? RootCommand.line([.run("timedatectl set-ntp true")]) : nil)
    ]
  }
}
