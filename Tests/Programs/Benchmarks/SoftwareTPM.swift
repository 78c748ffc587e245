import Foundation

/// A software TPM 2.0 (swtpm) that ends with this process, however this process ends.
final class SoftwareTPM {
  private static let program = "/usr/bin/swtpm"
  static var isInstalled: Bool { FileManager.default.fileExists(atPath: program) }

  /// The TCTI configuration.
  let interface: String
  private let shell = Process()
  private let life = Pipe()

  /// - Parameter folder: The folder of its state.
  init(folder: String) throws {
    let port = 20_000 + Int(getpid()) % 20_000
    interface = "swtpm:host=127.0.0.1,port=\(port)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The pipe closes when this process ends, also when it is killed. swtpm inherits a signal mask in which SIGTERM may
    // be blocked.
    shell.arguments = [
      "-c", #""$@" & read -r _; kill -KILL $!"#, "sh", Self.program,
      "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=tcp,port=\(port),bindaddr=127.0.0.1",
      "--ctrl", "type=tcp,port=\(port + 1),bindaddr=127.0.0.1", "--flags", "not-need-init,startup-clear",
    ]
    shell.standardInput = life
    // It must not keep this process's output open.
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    try shell.run()
  }

  /// Stops it, and waits for its end.
  func stop() {
    try? life.fileHandleForWriting.close()
    shell.waitUntilExit()
  }
}
