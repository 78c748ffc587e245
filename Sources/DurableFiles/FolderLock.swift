import Foundation

/// Lets one process at a time change a folder, and one thread of it. Blocks its thread.
public struct FolderLock: Sendable {
  public let folder: String
  /// How long others may hold the folder without letting go of it. Many who hold it one after the other are waited for, six
  /// times as long at most.
  private let patience: Duration

  public init(folder: String, patience: Duration = .seconds(10)) {
    self.folder = folder
    self.patience = patience
  }

  /// Runs `body` while no other holder of the lock runs. The folder is made where it is not there.
  ///
  /// - Throws: `FolderError` where the folder cannot be used, or is held too long.
  public func hold<Result>(_ body: () throws -> Result) throws -> Result {
    let place = PrivateFolder(path: folder)
    try place.make()
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw place.failed() }
    defer { close(descriptor) }
    let start = ContinuousClock.now
    var deadline = start + patience
    var changed = try place.lastChange(descriptor)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw place.failed() }
      let change = try place.lastChange(descriptor)
      if change != changed {
        changed = change
        deadline = min(ContinuousClock.now + patience, start + patience * 6)
      }
      guard ContinuousClock.now < deadline else { throw FolderError.held(folder: folder) }
      usleep(2_000)
    }
    defer {
      // Those who wait see that its holder changes, whatever was done below the lock.
      futimens(descriptor, nil)
      // A child that another thread forks has a copy until it executes its program, and a copy keeps the lock.
      flock(descriptor, LOCK_UN)
    }
    return try body()
  }
}

extension PrivateFolder {
  /// When an entry of the open folder was made, replaced or removed, in nanoseconds.
  fileprivate func lastChange(_ descriptor: Int32) throws -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failed() }
    return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }
}
