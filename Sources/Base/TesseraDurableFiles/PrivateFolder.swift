import FoundationEssentials
import Glibc
import TesseraThreads

/// A folder of mode 0700. Its calls block, and throw `FolderError`.
package struct PrivateFolder: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// The folder of the file with this path.
  package init(ofFile path: String) {
    let end = path.lastIndex(of: "/")
    self.init(path: end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
  }

  /// The prefix of temporary files.
  static let temporaryPrefix = ".new-"

  /// The folders whose creation this process has synchronised to the disk.
  private static let synchronised = Locked<Set<String>>([])

  /// Creates the folder and its parents if they do not exist, and synchronises their creation to the disk. An existing
  /// folder is synchronised, too, since the process that created it may have crashed before.
  package func make() throws {
    guard access(path, F_OK) != 0 || !Self.synchronised.withLock({ $0.contains(path) }) else { return }
    let parent = PrivateFolder(path: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    if access(path, F_OK) != 0 {
      if parent.path != path { try parent.make() }
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failed() }
      try parent.synchronise()
    } else {
      // Ignores errors: the parent can belong to another user.
      try? parent.synchronise()
    }
    Self.synchronised.withLock { _ = $0.insert(path) }
  }

  /// Synchronises the directory entries to the disk.
  package func synchronise() throws {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }
    // Some file systems do not support and do not need it for folders.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failed() }
  }

  /// The sorted names of the entries; empty if the folder does not exist.
  package func names() throws -> [String] {
    guard let stream = opendir(path) else {
      guard errno == ENOENT else { throw failed() }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw failed() }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
      }
      // Swift imports the C array of characters as a tuple.
      let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      names.append(String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)))
    }
  }

  /// Removes the temporary files of killed processes. Running processes lock theirs.
  package func removeLeftovers() {
    for name in (try? names()) ?? [] where Self.isLeftover(name) {
      let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(path)/\(name)") }
      close(descriptor)
    }
  }

  /// A name that nothing has, for what is renamed when it is whole.
  package static func temporaryName() -> String { temporaryPrefix + UUID().uuidString }

  package static func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(temporaryPrefix) && UUID(uuidString: String(name.dropFirst(temporaryPrefix.count))) != nil
  }

  /// Whether this user owns the folder and no other user can create files in it.
  ///
  /// - Throws: `FolderError`, also if the folder does not exist.
  package func isOwn() throws -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failed() }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
  }

  /// The error of the last system call.
  func failed() -> FolderError { .system(folder: path, code: errno) }
}

/// Synchronises folders to the disk, once for all tasks that wait for the same folder: a call returns when a synchronisation
/// has ended that began after it.
package final class FolderSynchronisation: Sendable {
  private typealias Waiter = CheckedContinuation<Void, any Error>
  /// Who waits for the next synchronisation of a folder. A folder that is being synchronised has an entry.
  private let waiting = Locked<[String: [Waiter]]>([:])
  private let work: OwnerWorkQueues<String>

  /// - Parameter name: that of the threads.
  package init(name: String) { work = OwnerWorkQueues(threads: 4, name: name) }

  /// - Throws: `FolderError`.
  package func synchronise(_ folder: PrivateFolder) async throws {
    try await withCheckedThrowingContinuation { (waiter: Waiter) in
      let isFirst = waiting.withLock { waiting in
        defer { waiting[folder.path, default: []].append(waiter) }
        return waiting[folder.path] == nil
      }
      if isFirst { Task { await synchroniseWhileAwaited(folder) } }
    }
  }

  private func synchroniseWhileAwaited(_ folder: PrivateFolder) async {
    while true {
      let waiters = waiting.withLock { waiting in
        let waiters = waiting[folder.path] ?? []
        waiting[folder.path] = waiters.isEmpty ? nil : []
        return waiters
      }
      guard !waiters.isEmpty else { return }
      var result = Result<Void, any Error>.success(())
      do {
        try await work[folder.path].run { try folder.synchronise() }
      } catch {
        result = .failure(error)
      }
      for waiter in waiters { waiter.resume(with: result) }
    }
  }
}
