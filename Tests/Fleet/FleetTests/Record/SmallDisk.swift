import Foundation
import TestSupport

/// A file system of 256 KB in memory, which a test can fill.
enum SmallDisk {
  /// The reason why there can be none here; nil if there can.
  static let unavailableReason: String? = {
    if getuid() != 0 { return "mounting a disk needs root" }
    // In a namespace of its own, which ends with the command.
    let isPermitted = ProgramRun.succeeds("/usr/bin/unshare", ["--mount", "--"] + [program] + arguments(at: "/tmp"))
    return isPermitted ? nil : "this container may not mount a disk"
  }()

  /// Whether the test runs. In continuous integration a missing right is a failure, elsewhere the test is skipped.
  static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  private static let program = "/usr/bin/mount"

  private static func arguments(at folder: String) -> [String] {
    ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", folder]
  }

  static func mount(at folder: String) -> Bool { ProgramRun.succeeds(program, arguments(at: folder)) }

  static func unmount(_ folder: String) { _ = ProgramRun.succeeds("/usr/bin/umount", ["-l", folder]) }
}
