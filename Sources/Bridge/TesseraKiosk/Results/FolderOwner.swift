import Glibc
package import TesseraCore
internal import TesseraDurableFiles
internal import TesseraThreads

/// The right to write and deliver the results of a folder. One process has it at a time: two would deliver results twice,
/// and one would remove what the other has begun to write.
package final class FolderOwner: Sendable {
  private let folder: ResultFolder
  private let descriptor = Locked<Int32?>(nil)

  package init(_ folder: ResultFolder) { self.folder = folder }

  deinit {
    guard let descriptor = descriptor.withLock({ $0 }) else { return }
    // Unlocks explicitly: a child that another thread forks has a copy of the descriptor until exec, which keeps the
    // lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Takes the folder, unless it is taken already, and removes what killed processes left in it. Makes it if it does not
  /// exist. Blocks.
  ///
  /// - Throws: `Failure`; of the kind `serviceUnavailable` if another process has it.
  package func take() throws(Failure) {
    do {
      try descriptor.withLock { descriptor in
        guard descriptor == nil else { return }
        descriptor = try locked()
        // What cannot be removed is no reason to keep nothing.
        try? folder.removeLeftovers()
      }
    } catch { throw Failure(error) }
  }

  private func locked() throws -> Int32 {
    try PrivateFolder(path: folder.path).make()
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FolderError.system(folder: folder.path, code: errno) }
    // Some file systems have no locks.
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return descriptor }
    close(descriptor)
    throw Failure(
      .serviceUnavailable, "Another kiosk uses the folder \(PrintableText.of(folder.path)).",
      remedy: "End it, or name another folder.")
  }
}
