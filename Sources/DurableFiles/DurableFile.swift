public import Cryptography
import Glibc

/// A file of mode 0600 that is there wholly or not at all, and on the disk when that is answered. Its calls block.
public struct DurableFile: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  private var folder: PrivateFolder { PrivateFolder(ofFile: path) }

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
    let staged = try StagedFile(content, at: path, in: folder)
    if replacing {
      try staged.replace()
    } else if try !staged.placeIfNone() {
      return false
    }
    try folder.synchronise()
    return true
  }

  /// Content that is to take this file's place later, when others are written, too. It is on the disk; its place is once
  /// the folder was synchronised.
  public func staged(_ content: [UInt8]) throws -> StagedFile {
    try folder.make()
    return try content.withUnsafeBytes { try StagedFile($0, at: path, in: folder) }
  }

  /// The content; nil where there is no such file. Links are not followed.
  ///
  /// - Parameter limit: the most bytes that such a file can have.
  /// - Throws: `FolderError`, `.foreignFile` for anything but a file within the limit.
  public func read(upTo limit: Int) throws -> (content: SecretBytes, identity: FileIdentity)? {
    try withOpenFile { descriptor, identity in
      // The file is not changed once it is there, so its size is all that there is to be read.
      guard identity.size <= limit, let content = SecretBytes(reading: descriptor, upTo: identity.size) else {
        throw FolderError.foreignFile(folder: folder.path)
      }
      return (content, identity)
    }
  }

  /// The same for what the file begins with.
  ///
  /// - Parameter count: the most bytes that are read; a shorter file is read whole.
  public func readBeginning(_ count: Int) throws -> (content: SecretBytes, identity: FileIdentity)? {
    try withOpenFile { descriptor, identity in
      var read = 0
      let content = SecretBytes(count: min(count, identity.size)) { buffer in
        while read < buffer.count {
          let count = Glibc.read(descriptor, buffer.baseAddress.map { $0 + read }, buffer.count - read)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return }
          read += count
        }
      }
      guard read == content.count else { throw folder.failed() }
      return (content, identity)
    }
  }

  /// nil where there is no such file.
  private func withOpenFile<Result>(_ body: (Int32, FileIdentity) throws -> Result) throws -> Result? {
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
    guard status.st_mode & S_IFMT == S_IFREG else { throw FolderError.foreignFile(folder: folder.path) }
    return try body(descriptor, FileIdentity(status))
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
