import Glibc
import TesseraCore

/// One process at a time uses the web profile: two would write the same files.
final class ProfileLock {
  private var descriptor: Int32

  /// How long the process before may take to end.
  private static let tries = 100

  /// Locks the folder, and waits for up to ten seconds for the process that has the lock.
  ///
  /// - Throws: `Failure` of the kind `serviceUnavailable` if another process keeps the lock.
  init(_ folder: String, tries: Int = ProfileLock.tries) throws(Failure) {
    descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure(
        .storageUnavailable, "The folder \(PrintableText.of(folder)) cannot be opened.",
        remedy: "Check its owner and its rights.")
    }
    for _ in 0..<tries {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      usleep(100_000)
    }
    close(descriptor)
    throw Failure(
      .serviceUnavailable, "Another program of this user shows Passage.", remedy: "Close its window, and try again.")
  }

  func release() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
  }
}
