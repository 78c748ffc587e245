import FoundationEssentials
import Glibc
package import TesseraCore

/// The new content of a file under a temporary name. It is deleted with this object unless it replaced the
/// file.
///
/// The temporary file stays locked, which distinguishes it from the leftovers of killed processes.
package final class StagedFile {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  /// Whether the temporary file exists; false after a rename.
  private var isTemporary = true

  init(_ content: UnsafeRawBufferPointer, at path: String, in folder: PrivateFolder) throws {
    self.path = path
    (temporary, descriptor) = try Self.createLocked(in: folder)
    guard Self.fill(descriptor, with: content), fsync(descriptor) == 0 else { throw folder.failed() }
  }

  /// Content that everybody may read, and that need not be on the disk.
  init(published content: UnsafeRawBufferPointer, at path: String, in folder: PrivateFolder) throws {
    self.path = path
    (temporary, descriptor) = try Self.createLocked(in: folder)
    // Whatever the umask is.
    guard Self.fill(descriptor, with: content), fchmod(descriptor, 0o644) == 0 else { throw folder.failed() }
  }

  deinit {
    if isTemporary { unlink(temporary) }
    close(descriptor)
  }

  /// Renames the temporary file to the final path, replacing an existing file or symbolic link.
  ///
  /// - Throws: `FolderError`. Then the existing file is unchanged.
  package func replace() throws {
    guard rename(temporary, path) == 0 else { throw folder.failed() }
    isTemporary = false
  }

  /// Creates the file if it does not exist.
  ///
  /// - Returns: false if the file exists.
  func createFile() throws -> Bool {
    if link(temporary, path) == 0 { return true }
    guard errno == EEXIST else { throw folder.failed() }
    return false
  }

  private var folder: PrivateFolder { PrivateFolder(ofFile: path) }

  /// Creates and locks a temporary file. Retries if `removeLeftovers` of another process deletes it before it is
  /// locked.
  private static func createLocked(in folder: PrivateFolder) throws -> (path: String, descriptor: Int32) {
    while true {
      let path = "\(folder.path)/\(PrivateFolder.temporaryName())"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw folder.failed() }
      var status = stat()
      while flock(descriptor, LOCK_EX) != 0 || fstat(descriptor, &status) != 0 {
        guard errno != EINTR else { continue }
        let error = folder.failed()
        close(descriptor)
        unlink(path)
        throw error
      }
      if status.st_nlink > 0 { return (path, descriptor) }
      close(descriptor)
    }
  }

  private static func fill(_ descriptor: Int32, with content: UnsafeRawBufferPointer) -> Bool {
    var rest = content
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
    return true
  }
}

/// A file of mode 0644 that another program of the machine reads, in a folder that exists. Its content is replaced
/// atomically and not synchronised to the disk: it is soon replaced again, and worth nothing after the machine has stopped.
/// Its calls block.
package struct PublishedFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  private var folder: PrivateFolder { PrivateFolder(ofFile: path) }

  /// Replaces the content, or a symbolic link of this name.
  ///
  /// - Throws: `Failure.unwritable`. Then the file has the old content.
  package func write(_ content: [UInt8]) throws(Failure) {
    do {
      try content.withUnsafeBytes { try StagedFile(published: $0, at: path, in: folder) }.replace()
    } catch {
      if let error = error as? FolderError { throw Failure.unwritable(path, error) }
      throw Failure(error)
    }
  }

  /// Removes what killed processes left beside the file.
  package func removeLeftovers() { folder.removeLeftovers() }
}
