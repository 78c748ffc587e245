import Glibc
import TesseraSmartCard

/// A lock that prevents two Tessera processes from using one serial line. libnfc marks a line as used by a bit in its
/// settings, which the C library on Linux discards (glibc, tcsetattr.c, IBAUD0); two programs would then read each
/// other's answers. The kernel releases a lock on the node when the process ends. USB devices need no lock: only one
/// program can claim them.
final class DeviceLock: Sendable {
  private let descriptor: Int32

  /// - Throws: `CardError.deviceInUse` if another process has the lock; `.deviceAccessDenied` if this user has no
  ///   permission to open the node.
  init(node: String, of connstring: LibNFCConnstring) throws(CardError) {
    let descriptor = open(node, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case EBUSY: throw .deviceInUse(reader: connstring.text)
      case EMFILE, ENFILE: throw .tooManyOpenFiles
      default: throw LibNFCDeviceProblem.reason(connstring)
      }
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .deviceInUse(reader: connstring.text)
    }
    self.descriptor = descriptor
  }

  deinit {
    // A forked child has a copy of the descriptor until it executes its program, and the copy would keep the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
