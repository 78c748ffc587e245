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
    } catch is FolderError {
      throw unwritable(url.path)
    }
  }

  /// Opens an empty file for streaming output. Does not follow links.
  static func open(_ path: String) throws -> StreamFile {
    let links = isStream(path) ? 0 : O_NOFOLLOW
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | links, 0o600)
    guard descriptor >= 0 else { throw unwritable(path) }
    // `open` applies the mode to new files only. A device or a pipe keeps its mode.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { fchmod(descriptor, 0o600) }
    return StreamFile(path: path, descriptor: descriptor)
  }

  /// Checks that a file can be written, without creating it.
  static func checkWritable(_ path: String) throws {
    let target = isStream(path) ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
    var status = stat()
    let isFolder = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    guard !isFolder, access(target, W_OK) == 0 else { throw unwritable(path) }
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

  static func unwritable(_ path: String) -> Failure {
    Failure(.usage, "\(path) cannot be written.", remedy: "Check the folder, its permissions and the free space.")
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
    guard bytes.withUnsafeBytes({ OutputDescriptor.write($0, to: descriptor) }) else {
      throw PrivateFile.unwritable(path)
    }
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
