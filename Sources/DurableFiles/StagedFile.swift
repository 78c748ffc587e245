import Foundation

/// The content of a file, on the disk under a temporary name beside it until it takes the file's place. Whatever was not
/// placed goes away with its owner.
///
/// The temporary file is locked as long as its writer lives, which tells it from what a killed process left behind.
public final class StagedFile {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  /// After a rename there is nothing any more to take away.
  private var isLeft = true

  init(_ content: UnsafeRawBufferPointer, at path: String, in folder: PrivateFolder) throws {
    self.path = path
    (temporary, descriptor) = try Self.makeLocked(in: folder)
    guard Self.fill(descriptor, with: content), fsync(descriptor) == 0 else { throw folder.failed() }
  }

  deinit {
    if isLeft { unlink(temporary) }
    close(descriptor)
  }

  /// Takes the place of the file that may be there; a link gives way, and what it leads to stays.
  ///
  /// - Throws: `FolderError`; then what was there is there.
  public func replace() throws {
    guard rename(temporary, path) == 0 else { throw folder.failed() }
    isLeft = false
  }

  /// - Returns: false where there is a file, which stays.
  func placeIfNone() throws -> Bool {
    if link(temporary, path) == 0 { return true }
    guard errno == EEXIST else { throw folder.failed() }
    return false
  }

  private var folder: PrivateFolder { PrivateFolder(ofFile: path) }

  /// A process that clears the folder can take the file between its making and its locking; then there is another one.
  private static func makeLocked(in folder: PrivateFolder) throws -> (path: String, descriptor: Int32) {
    while true {
      let path = "\(folder.path)/\(PrivateFolder.temporaryPrefix)\(UUID().uuidString)"
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
