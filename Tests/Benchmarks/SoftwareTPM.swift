import Foundation

/// A TPM 2.0 in software (swtpm) that lives no longer than this process, however that ends.
final class SoftwareTPM {
  private static let program = "/usr/bin/swtpm"
  static var isInstalled: Bool { FileManager.default.fileExists(atPath: program) }

  /// The TCTI configuration.
  let interface: String
  private let shell = Process()
  private let life = Pipe()

  /// - Parameter folder: keeps its state.
  init(folder: String) throws {
    let port = 20_000 + Int(getpid()) % 20_000
    interface = "swtpm:host=127.0.0.1,port=\(port)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The pipe ends when nobody holds its other end any more, as when this process was killed. swtpm inherits a mask of
    // signals in which SIGTERM may be blocked.
    shell.arguments = [
      "-c", #""$@" & read -r _; kill -KILL $!"#, "sh", Self.program,
      "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=tcp,port=\(port),bindaddr=127.0.0.1",
      "--ctrl", "type=tcp,port=\(port + 1),bindaddr=127.0.0.1", "--flags", "not-need-init,startup-clear",
    ]
    shell.standardInput = life
    // It must not keep our output open.
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    try shell.run()
  }

  /// Ends it, and waits for that.
  func stop() {
    try? life.fileHandleForWriting.close()
    shell.waitUntilExit()
  }
}
