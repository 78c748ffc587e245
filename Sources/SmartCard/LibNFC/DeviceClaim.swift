import Foundation

/// Keeps two programs of ours off one serial line. libnfc's own mark for that, a bit in the line's settings, is dropped by
/// the C library on Linux (glibc, tcsetattr.c, IBAUD0), so that two programs would read each other's answers. A lock on the
/// node goes away with the process, however that ends. USB devices need none: the kernel lets one program claim them.
final class DeviceClaim: Sendable {
  private let descriptor: Int32

  /// - Throws: `CardError.deviceInUse` where somebody has it, `.deviceAccessDenied` where this user may not open it.
  init(node: String, of connstring: LibNFCConnstring) throws(CardError) {
    let descriptor = open(node, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case EBUSY: throw .deviceInUse(reader: connstring.text)
      case EMFILE, ENFILE: throw .tooManyOpenFiles
      default: throw LibNFCObstacle.reason(connstring)
      }
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .deviceInUse(reader: connstring.text)
    }
    self.descriptor = descriptor
  }

  deinit {
    // A child that another thread forks has a copy until it executes its program, and a copy keeps the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
