import Foundation

/// A file system of 256 KB in memory, which a test can fill.
public enum SmallDisk {
  /// The reason why there can be none here; nil if there can.
  public static let unavailableReason: String? = {
    if getuid() != 0 { return "mounting a disk needs root" }
    // In a namespace of its own, which ends with the command.
    let isPermitted = ProgramRun.succeeds("/usr/bin/unshare", ["--mount", "--"] + [program] + arguments(at: "/tmp"))
    return isPermitted ? nil : "this container may not mount a disk"
  }()

  /// Whether the test runs. In continuous integration a missing right is a failure, elsewhere the test is skipped.
  public static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  private static let program = "/usr/bin/mount"

  private static func arguments(at folder: String) -> [String] {
    ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", folder]
  }

  public static func mount(at folder: String) -> Bool { ProgramRun.succeeds(program, arguments(at: folder)) }

  public static func unmount(_ folder: String) { _ = ProgramRun.succeeds("/usr/bin/umount", ["-l", folder]) }

  /// Takes all the space that is left.
  public static func fill(_ folder: String) throws {
    let descriptor = open(filler(folder), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(.EIO) }
    defer { close(descriptor) }
    let page = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, page, page.count) > 0 {}
  }

  /// Gives back the space that `fill` took.
  public static func makeSpace(_ folder: String) throws { try FileManager.default.removeItem(atPath: filler(folder)) }

  private static func filler(_ folder: String) -> String { "\(folder)/filler" }
}
