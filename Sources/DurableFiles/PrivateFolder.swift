import Foundation
import Threads

/// A folder that only its owner can enter. Its calls block, and throw `FolderError`.
public struct PrivateFolder: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// The one that a file of this path is in.
  public init(ofFile path: String) {
    let end = path.lastIndex(of: "/")
    self.init(path: end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".")
  }

  /// What a killed process may leave behind begins so.
  static let temporaryPrefix = ".new-"

  /// The folders whose own entry was brought to the disk by this process.
  private static let synchronised = Locked<Set<String>>([])

  /// Makes it, with those above it, where it is not there, and brings that to the disk. Where it is there already, the
  /// process that made it may not have come so far.
  public func make() throws {
    guard access(path, F_OK) != 0 || !Self.synchronised.withLock({ $0.contains(path) }) else { return }
    let parent = PrivateFolder(path: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    if access(path, F_OK) != 0 {
      if parent.path != path { try parent.make() }
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failed() }
      try parent.synchronise()
    } else {
      // Folders above may be others' and closed to us; then they are not ours to make either.
      try? parent.synchronise()
    }
    Self.synchronised.withLock { _ = $0.insert(path) }
  }

  /// Puts on the disk which files are in it.
  public func synchronise() throws {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }
    // Some file systems cannot do it for folders, and need not.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failed() }
  }

  /// The names of what is in it, in order; none where it is not there.
  public func names() throws -> [String] {
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
      // The C array of characters is a tuple here; its place is that of its first one.
      let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      names.append(String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)))
    }
  }

  /// Takes away what killed processes left behind, of which names are told. What a living one writes is locked, and stays.
  public func removeLeftovers() {
    for name in (try? names()) ?? [] where Self.isLeftover(name) {
      let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(path)/\(name)") }
      close(descriptor)
    }
  }

  public static func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(temporaryPrefix) && UUID(uuidString: String(name.dropFirst(temporaryPrefix.count))) != nil
  }

  /// Whether nobody else can put files into it.
  ///
  /// - Throws: also where it is not there.
  public func isOwn() throws -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failed() }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
  }

  /// The error of the last call.
  func failed() -> FolderError { .system(folder: path, code: errno) }
}
