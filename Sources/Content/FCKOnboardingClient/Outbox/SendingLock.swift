import Glibc
import TesseraDurableFiles

/// The right to send the entries of an outbox. One process has it at a time, so that no entry is sent twice.
final class SendingLock: Sendable {
  private let descriptor: Int32

  /// - Returns: nil if there is no folder, or another one sends.
  init?(folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit {
    // Unlocks explicitly: a child that another thread forks has a copy of the descriptor until exec, which keeps the
    // lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
