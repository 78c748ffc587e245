import FoundationEssentials
import Glibc

/// A small file that is optional: what cannot be read or written is ignored.
enum SmallFile {
  /// nil if there is no regular file of at least one and less than `limit` bytes.
  static func content(of path: String, below limit: Int) -> Data? {
    // The path may be a link, a pipe without a writer, or an endless device.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0, count < limit else { return nil }
    return Data(bytes.prefix(count))
  }

  /// Writes the file atomically, but does not synchronise it: a power failure may only lose this file.
  static func write(_ content: Data, to path: String) {
    let file = URL(fileURLWithPath: path)
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? content.write(to: file, options: .atomic)
  }
}
