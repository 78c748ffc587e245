import Foundation

/// Lets one process at a time change a folder. Blocks its thread.
struct FolderLock {
  let folder: String

  /// How long another process may take.
  private static let patience = 10.0

  /// Runs `body` while no other holder of the lock runs.
  ///
  /// - Throws: `KeyStoreError.folder` where the folder cannot be used, or is held too long.
  func hold<Result>(_ body: () throws -> Result) throws -> Result {
    try DurableFile.make(folder)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw DurableFile.failed(folder) }
    defer { close(descriptor) }  // gives the lock back, too
    let deadline = Date.now.addingTimeInterval(Self.patience)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw DurableFile.failed(folder) }
      guard Date.now < deadline else {
        throw KeyStoreError.folder(path: folder, reason: "another process is changing it, and does not end")
      }
      usleep(2_000)
    }
    return try body()
  }
}
