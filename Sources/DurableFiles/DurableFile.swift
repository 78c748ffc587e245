public import Cryptography
import Foundation

/// A file of mode 0600 that is there wholly or not at all, and on the disk when that is answered. Its calls block.
public struct DurableFile: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  private var folder: PrivateFolder {
    PrivateFolder(path: path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ".")
  }

  /// - Parameter replacing: whether a file that is there gives way.
  /// - Returns: false where there is one and it must not.
  /// - Throws: `FolderError`; then the old content is there, or the new one.
  public func write(_ content: SecretBytes, replacing: Bool) throws -> Bool {
    try content.withUnsafeBytes { try write($0, replacing: replacing) }
  }

  /// The same for content that is no secret.
  public func write(_ content: [UInt8], replacing: Bool) throws -> Bool {
    try content.withUnsafeBytes { try write($0, replacing: replacing) }
  }

  private func write(_ content: UnsafeRawBufferPointer, replacing: Bool) throws -> Bool {
    try folder.make()
    let temporary = "\(folder.path)/\(PrivateFolder.temporaryPrefix)\(UUID().uuidString)"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw folder.failed() }
    // After a rename there is nothing any more to take away.
    var isLeft = true
    defer { if isLeft { unlink(temporary) } }
    do {
      defer { close(descriptor) }
      guard Self.fill(descriptor, with: content), fsync(descriptor) == 0 else { throw folder.failed() }
    }
    if replacing {
      guard rename(temporary, path) == 0 else { throw folder.failed() }
      isLeft = false
    } else if link(temporary, path) != 0 {
      guard errno == EEXIST else { throw folder.failed() }
      return false
    }
    try folder.synchronise()
    return true
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

  /// The content; nil where there is no such file. Links are not followed.
  ///
  /// - Parameter limit: the most bytes that such a file can have.
  /// - Throws: `FolderError`, `.foreignFile` for anything but a file within the limit.
  public func read(upTo limit: Int) throws -> (content: SecretBytes, identity: FileIdentity)? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw FolderError.foreignFile(folder: folder.path)
      default: throw folder.failed()
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw folder.failed() }
    // The file is not changed once it is there, so its size is all that there is to be read.
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit,
      let content = SecretBytes(reading: descriptor, upTo: Int(status.st_size))
    else { throw FolderError.foreignFile(folder: folder.path) }
    return (content, FileIdentity(status))
  }

  /// nil where there is no such file.
  public func identity() throws -> FileIdentity? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw folder.failed() }
      return nil
    }
    return FileIdentity(status)
  }

  /// - Returns: false where there was none.
  public func remove() throws -> Bool {
    guard unlink(path) == 0 else {
      guard errno == ENOENT else { throw folder.failed() }
      return false
    }
    try folder.synchronise()
    return true
  }
}
