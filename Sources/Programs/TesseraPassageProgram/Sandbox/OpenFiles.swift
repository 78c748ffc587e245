import FoundationEssentials
import Glibc
import TesseraCore

/// The open files of the host program, which must reach neither the sandbox nor the programs that prepare it.
enum OpenFiles {
  /// Marks all descriptors but the first three: the kernel closes them when this process runs another program.
  ///
  /// - Throws: `Failure` if the system does not do it. Nothing runs then.
  static func closeAtNextProgram() throws(Failure) {
    // close_range(2) with CLOSE_RANGE_CLOEXEC (Linux 5.11).
    guard SystemCall.run(436, Int(STDERR_FILENO) + 1, Int(UInt32.max), 4) != 0 else { return }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { throw unclosable }
    for descriptor in names.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
      // The one that listed the folder is closed already.
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 || errno == EBADF else { throw unclosable }
    }
  }

  /// Hands the descriptors to the next program.
  ///
  /// - Throws: `Failure` if one of them is none.
  static func keep(_ descriptors: [Int32]) throws(Failure) {
    for descriptor in descriptors {
      guard fcntl(descriptor, F_SETFD, 0) == 0 else {
        throw Failure(.internalError, "The descriptor \(descriptor) is not open.")
      }
    }
  }

  private static let unclosable = Failure(
    .serviceUnavailable, "The open files of the host program cannot be kept out of the sandbox.",
    remedy: "Use Linux 5.11 or later, and mount /proc.")
}
