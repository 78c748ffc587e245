import FoundationEssentials
import Glibc
import TesseraCore

/// Sockets with a name instead of a path belong to the network, which the sandbox keeps: old buses and X servers have
/// them. The kernel can close this way (landlock(7), ABI 6).
enum AbstractSockets {
  /// Closes the way to the abstract sockets of other programs for this thread and all that it starts. Without effect on
  /// older kernels.
  ///
  /// libxcb gives up if an abstract socket of the display exists and is refused, so this is not for such a display.
  ///
  /// - Returns: whether they are closed now.
  @discardableResult
  static func close() -> Bool {
    // `struct landlock_ruleset_attr`: no files, no ports, and the scope of abstract sockets.
    var attributes: [UInt64] = [0, 0, 1]
    let size = attributes.count * MemoryLayout<UInt64>.size
    let rules = attributes.withUnsafeMutableBytes { SystemCall.run(444, Int(bitPattern: $0.baseAddress), size, 0) }
    guard rules >= 0 else { return false }
    defer { Glibc.close(Int32(truncatingIfNeeded: rules)) }
    return SystemCall.run(446, rules, 0, 0) == 0
  }

  /// Whether an X server of this machine listens on the abstract socket of the display.
  static func has(display socket: String) -> Bool {
    guard let file = fopen("/proc/net/unix", "re") else { return false }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      if strstr(line, "@\(socket)\n") != nil { return true }
    }
    return false
  }
}

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

/// System calls that the C library of Swift's import does not have.
enum SystemCall {
  /// - Returns: the result; negative after a failure.
  static func run(_ number: Int, _ first: Int, _ second: Int, _ third: Int) -> Int {
    guard let symbol = dlsym(nil, "syscall") else { return -1 }
    // `syscall` takes a variable number of arguments, so Swift does not import it. On all machines that this program is
    // built for, whole numbers are passed as to a function with these parameters.
    typealias Function = @convention(c) (Int, Int, Int, Int) -> Int
    return unsafeBitCast(symbol, to: Function.self)(number, first, second, third)
  }
}
