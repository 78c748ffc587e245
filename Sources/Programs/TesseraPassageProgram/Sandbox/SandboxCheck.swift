import FoundationEssentials
import Glibc
import TesseraCore

/// Whether this process is in the sandbox. The program looks at the facts, since an argument or a variable could be set
/// by anyone.
enum SandboxCheck {
  /// - Throws: `Failure` if a protection is missing.
  static func require() throws(Failure) {
    let status = InputBytes.text("/proc/self/status").split(separator: "\n")
    func value(_ name: String) -> String? {
      status.first { $0.hasPrefix("\(name):\t") }.map { String($0.dropFirst(name.utf8.count + 2)) }
    }
    let facts = [
      // The process can gain no rights, has none, and has a filter for its system calls.
      value("NoNewPrivs") == "1", value("CapEff")?.allSatisfy { $0 == "0" } == true, value("Seccomp") == "2",
      // Its first process is bubblewrap.
      InputBytes.text("/proc/1/comm") == "bwrap\n",
      // Files of this system's devices, services and accounts are absent.
      absentFiles.allSatisfy { access($0, F_OK) != 0 },
    ]
    guard facts.allSatisfy({ $0 }) else {
      throw Failure(
        .serviceUnavailable, "The process is not in the sandbox of Passage.",
        remedy: "Start it with “tessera-passage session” or “tessera-passage open”.")
    }
    guard !AbstractSockets.has(display: displaySocket) else { return }
    AbstractSockets.close()
  }

  private static let absentFiles = [
    "/run/pcscd", "/run/dbus", "/run/udev", "/etc/shadow", "/dev/input", "/dev/bus", "/sys/bus/usb",
  ]

  private static var displaySocket: String {
    ProcessInfo.processInfo.environment["DISPLAY"].flatMap(DisplayAccess.socket) ?? "/"
  }
}
