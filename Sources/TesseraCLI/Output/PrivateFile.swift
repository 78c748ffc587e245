import DurableFiles
import Foundation
import Tessera

/// Files with personal data: readable by their owner only.
enum PrivateFile {
  /// Writes a file that is there wholly or not at all: the one that is there stays until the new one is on the disk. A
  /// link gives way, and what it leads to stays. A pipe or a device is written to as it is.
  static func write(_ bytes: some Collection<UInt8>, to url: URL) throws {
    guard !isStream(url.path) else {
      let file = try open(url.path)
      do {
        return try file.write(contentsOf: Data(bytes))
      } catch {
        throw unwritable(url.path)
      }
    }
    do {
      _ = try DurableFile(path: url.path).write(Array(bytes), replacing: true)
    } catch is FolderError {
      throw unwritable(url.path)
    }
  }

  /// An empty file for what comes bit by bit; links are not followed.
  static func open(_ path: String) throws -> FileHandle {
    let links = isStream(path) ? 0 : O_NOFOLLOW
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | links, 0o600)
    guard descriptor >= 0 else { throw unwritable(path) }
    // The mode given to open holds for new files only; a device or a pipe keeps its own.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { fchmod(descriptor, 0o600) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Whether a file can be written, without making it.
  static func checkWritable(_ path: String) throws {
    let target = isStream(path) ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
    var status = stat()
    let isFolder = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    guard !isFolder, access(target, W_OK) == 0 else { throw unwritable(path) }
  }

  /// A pipe or a device, also where it is one of the system's own links to one (`/dev/stdout`, `/dev/fd/3`).
  private static func isStream(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFDIR: return false
    case S_IFLNK:
      // A file that standard output was redirected to is not replaced either.
      if ["/dev/stdout", "/dev/stderr"].contains(path) { return true }
      guard stat(path, &status) == 0 else { return false }
      return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    default: return true
    }
  }

  static func unwritable(_ path: String) -> Failure {
    Failure(.usage, "\(path) cannot be written.", remedy: "Check the folder, its permissions and the free space.")
  }
}
