import FoundationEssentials
import Glibc
import Synchronization
import Tessera
import TesseraCommandLine
import TesseraDurableFiles

/// Files with personal data. Only their owner can read them.
enum PrivateFile {
  /// Replaces a file atomically, after the new content is on the disk. Replaces a link, not its target. Writes directly
  /// to a pipe or a device.
  static func write(_ bytes: some Collection<UInt8>, to url: URL) throws {
    guard !isStream(url.path) else {
      return try open(url.path).write(Array(bytes))
    }
    do {
      _ = try DurableFile(path: url.path).write(Array(bytes), replacing: true)
    } catch let error as FolderError {
      throw Failure.unwritable(url.path, error)
    }
  }

  /// Opens an empty file for streaming output. Does not follow links.
  static func open(_ path: String) throws -> StreamFile {
    let links = isStream(path) ? 0 : O_NOFOLLOW
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | links, 0o600)
    guard descriptor >= 0 else { throw Failure.unwritable(path, errno) }
    // `open` applies the mode to new files only. A device or a pipe keeps its mode.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { fchmod(descriptor, 0o600) }
    return StreamFile(path: path, descriptor: descriptor)
  }

  /// Checks that a file can be written, without creating it.
  static func checkWritable(_ path: String) throws {
    if isStream(path) {
      guard access(path, W_OK) == 0 else { throw Failure.unwritable(path, errno) }
      return
    }
    let obstacle = Failure.obstacle(path)
    guard obstacle == 0 else { throw Failure.unwritable(path, obstacle) }
  }

  /// Whether there is a folder; a link is none.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Creates a folder for files that a command writes.
  static func prepareFolder(_ path: String) throws {
    do {
      try SavedDump.prepare(path: path)
    } catch .notWritten(_, let code) {
      // Not a dump, which can also be one file.
      throw Failure.unwritable(path, code, isFolder: true)
    }
  }

  /// Whether the path is a pipe or a device, or one of the system's links to one (`/dev/stdout`, `/dev/fd/3`).
  static func isStream(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR: return false
    case S_IFLNK:
      // Also true for a regular file that standard output is redirected to.
      if ["/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/") { return true }
      guard stat(path, &status) == 0 else { return false }
      return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    default: return true
    }
  }
}

/// A file descriptor that is written sequentially. Closes it at the end.
struct StreamFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// - Throws: `Failure` of the kind `usage`.
  func write(_ bytes: [UInt8]) throws {
    let code = bytes.withUnsafeBytes { OutputDescriptor.error(ofWriting: $0, to: descriptor) }
    guard code == 0 else { throw Failure.unwritable(path, code) }
  }
}

/// The file of `--trace`: one line per command and response.
final class TraceFile: Sendable {
  let isPlain: Bool
  private let file: Mutex<StreamFile>

  init(_ path: String, plain: Bool) throws {
    let file = try PrivateFile.open(path)
    try file.write(Array((plain ? "# APDUs with all data: personal data and keys\n" : "# APDUs, data redacted\n").utf8))
    isPlain = plain
    self.file = Mutex(file)
  }

  /// Appends a line. Ignores errors: a full disk must not end the read.
  func write(_ line: String) { file.withLock { try? $0.write(Array((line + "\n").utf8)) } }
}
