import Glibc
package import TesseraCore

/// An exclusive lock on a folder, among processes and threads. Blocks the calling thread.
package struct FolderLock: Sendable {
  package let folder: String
  /// The longest wait for one owner of the lock.
  private let timeout: Duration
  /// The longest wait for all owners together.
  private let limit: Duration
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameters:
  ///   - limit: nil for six times the timeout.
  ///   - now: The current time.
  package init(
    folder: String, timeout: Duration = .seconds(10), limit: Duration? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.folder = folder
    self.timeout = timeout
    self.limit = limit ?? timeout * 6
    self.now = now
  }

  /// Runs `body` under the lock. Creates the folder if it does not exist.
  ///
  /// - Throws: `FolderError`, also after the timeout; the errors of `body`.
  package func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    let privateFolder = PrivateFolder(path: folder)
    try privateFolder.make()
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw privateFolder.failed() }
    defer { close(descriptor) }
    let start = now()
    var deadline = start + min(timeout, limit)
    var changed = try privateFolder.lastChange(descriptor)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw privateFolder.failed() }
      let change = try privateFolder.lastChange(descriptor)
      if change != changed {
        changed = change
        deadline = min(now() + timeout, start + limit)
      }
      guard now() < deadline else { throw FolderError.locked(folder: folder) }
      usleep(2_000)
    }
    defer {
      // Signals waiting processes that the owner changes, even if it did not change the folder.
      futimens(descriptor, nil)
      // Unlocks explicitly: a child that another thread forks has a copy of the descriptor until exec, which keeps the
      // lock.
      flock(descriptor, LOCK_UN)
    }
    return try body()
  }

  /// Runs `body` while nobody has the lock, together with others who do so. A folder that cannot be locked, as on some
  /// network file systems, or not within the timeout, is read all the same.
  package func withSharedLock<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return try body() }
    defer {
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
    let deadline = now() + timeout
    while flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR, now() < deadline {
      usleep(2_000)
    }
    return try body()
  }
}

extension PrivateFolder {
  /// The time of the last change of the open folder, in nanoseconds.
  fileprivate func lastChange(_ descriptor: Int32) throws -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failed() }
    return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }
}

/// The reason why a folder is unusable.
package enum FolderError: Error, Sendable, Equatable {
  /// A system call failed with this `errno`.
  case system(folder: String, code: Int32)
  /// Another program created a file at this path: a link, a folder, a device or a file that is too large.
  case foreignFile(folder: String)
  /// Another process has locked the folder for too long.
  case locked(folder: String)
}

extension FolderError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .system(let folder, let code):
      Failure(
        [ENOSPC, EDQUOT].contains(code) ? .storageFull : .storageUnavailable,
        "The folder \(folder) is unusable: \(String(cString: strerror(code)).lowercased()).",
        remedy: "Make sure that you own the folder and that the disk is not full.", details: ["errno": "\(code)"])
    case .foreignFile(let folder):
      Failure(
        .storageUnavailable, "The folder \(folder) contains a file of another program.",
        remedy: "Remove the file.")
    case .locked(let folder):
      Failure(
        .storageUnavailable, "Another process has locked the folder \(folder) for too long.",
        remedy: "Find the process with lsof, and terminate it.")
    }
  }
}
