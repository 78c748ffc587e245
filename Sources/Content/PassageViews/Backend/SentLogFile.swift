internal import Glibc
package import PassageProtocol
internal import TesseraDurableFiles
internal import TesseraThreads

/// The log of what was sent, for the user: one line of JSON each, in a file of mode 0600.
///
/// When the file is full, it becomes the older one of two, and the one before that is gone.
package actor SentLogFile {
  package nonisolated let path: String
  /// In bytes.
  private let limit: Int

  package nonisolated var olderPath: String { path + ".1" }

  package init(path: String, limit: Int = 8 << 20) {
    self.path = path
    self.limit = limit
  }

  /// Appends a line. What cannot be written is reported, and the session goes on.
  ///
  /// - Throws: `SentLogError`.
  package func append(_ entry: SentEntry) throws {
    let line = Array(entry.line.utf8) + [UInt8(ascii: "\n")]
    do { try PrivateFolder(ofFile: path).make() } catch { throw SentLogError.unwritable }
    var descriptor = try opened()
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw SentLogError.unwritable }
    if Int(status.st_size) > limit - line.count, status.st_size > 0 {
      guard rename(path, olderPath) == 0 else { throw SentLogError.unwritable }
      close(descriptor)
      descriptor = try opened()
    }
    // One write: two processes do not mix their lines (O_APPEND).
    guard write(descriptor, line, line.count) == line.count else { throw SentLogError.unwritable }
  }

  private func opened() throws -> Int32 {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw SentLogError.unwritable }
    return descriptor
  }
}

/// Why the log has not the line.
package enum SentLogError: Error, Sendable {
  /// The folder or the file cannot be written.
  case unwritable
}
