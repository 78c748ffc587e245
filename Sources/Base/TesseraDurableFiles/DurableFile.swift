import Glibc
package import TesseraCore

/// A file of mode 0600 with atomic, durable writes: a completed write is on the disk, and a crash leaves the old or the
/// new content. Its calls block.
package struct DurableFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// A file that the user named. A link at the end of the path is followed, which reading does not do; nil if it leads
  /// nowhere.
  package init?(following path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
      self.path = path
      return
    }
    guard let target = realpath(path, nil) else { return nil }
    defer { free(target) }
    self.path = String(cString: target)
  }

  private var folder: PrivateFolder { PrivateFolder(ofFile: path) }

  /// Writes the content atomically.
  ///
  /// - Parameter replacing: whether to replace an existing file.
  /// - Returns: false if the file exists and `replacing` is false.
  /// - Throws: `FolderError`. Then the file has the old or the new content.
  package func write(_ content: SecretBytes, replacing: Bool) throws -> Bool {
    try content.withUnsafeBytes { try write($0, replacing: replacing) }
  }

  /// Writes content that is not secret.
  package func write(_ content: [UInt8], replacing: Bool) throws -> Bool {
    try content.withUnsafeBytes { try write($0, replacing: replacing) }
  }

  private func write(_ content: UnsafeRawBufferPointer, replacing: Bool) throws -> Bool {
    try folder.make()
    let staged = try StagedFile(content, at: path, in: folder)
    if replacing {
      try staged.replace()
    } else if try !staged.createFile() {
      return false
    }
    try folder.synchronise()
    return true
  }

  /// Writes the content to a temporary file, so that several files can be replaced together. The content is on the
  /// disk; the replacement is durable after the folder was synchronised.
  package func staged(_ content: [UInt8]) throws -> StagedFile {
    try folder.make()
    return try content.withUnsafeBytes { try StagedFile($0, at: path, in: folder) }
  }

  /// Reads the content; nil if the file does not exist. Symbolic links are not followed.
  ///
  /// - Parameter limit: the maximum size in bytes.
  /// - Throws: `FolderError`; `.foreignFile` if it is not a regular file, or too large.
  package func read(upTo limit: Int) throws -> (content: SecretBytes, identity: FileIdentity)? {
    try withOpenFile { descriptor, identity in
      // A file never changes after its creation, so its size is final.
      guard identity.size <= limit, let content = SecretBytes(reading: descriptor, upTo: identity.size) else {
        throw FolderError.foreignFile(folder: folder.path)
      }
      return (content, identity)
    }
  }

  /// Reads content that is not secret; nil if the file does not exist. Symbolic links are not followed.
  ///
  /// - Parameter limit: the maximum size in bytes.
  /// - Throws: `FolderError`; `.foreignFile` if it is not a regular file, or too large.
  package func bytes(upTo limit: Int) throws -> [UInt8]? {
    try withOpenFile { descriptor, identity in
      guard identity.size <= limit else { throw FolderError.foreignFile(folder: folder.path) }
      return try [UInt8](unsafeUninitializedCapacity: identity.size) { buffer, count in
        while count < buffer.count {
          let read = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
          if read < 0, errno == EINTR { continue }
          guard read >= 0 else { throw folder.failed() }
          // Another program has made the file shorter.
          guard read > 0 else { return }
          count += read
        }
      }
    }
  }

  /// Reads the beginning of the file; nil if the file does not exist.
  ///
  /// - Parameter count: the maximum number of bytes.
  package func readBeginning(_ count: Int) throws -> (content: SecretBytes, identity: FileIdentity)? {
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

  /// - Returns: nil if the file does not exist.
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

  /// The identity of the current content; nil if the file does not exist.
  package func identity() throws -> FileIdentity? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw folder.failed() }
      return nil
    }
    return FileIdentity(status)
  }

  /// Removes the file, and synchronises the folder.
  ///
  /// - Returns: false if the file did not exist.
  package func remove() throws -> Bool {
    guard unlink(path) == 0 else {
      guard errno == ENOENT else { throw folder.failed() }
      return false
    }
    try folder.synchronise()
    return true
  }
}

/// Identifies one content of a durable file without reading it: each write creates a new file.
package struct FileIdentity: Hashable, Sendable {
  package let inode: UInt64
  package let seconds: Int
  package let nanoseconds: Int
  /// In bytes.
  package let size: Int

  init(_ status: stat) {
    inode = UInt64(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
    size = Int(status.st_size)
  }
}

/// Who can change a file or a folder.
package struct Ownership: Sendable {
  /// Whether another user than this one and root owns it, or other users can write to it. False if there is nothing.
  package let isOpenToOthers: Bool
  /// Whether it is open to others, or every user can read it. The group is the administrator's decision.
  package let exposesSecrets: Bool

  /// - Parameter path: links are followed.
  package init(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      (isOpenToOthers, exposesSecrets) = (false, false)
      return
    }
    let isOwn = status.st_uid == geteuid() || status.st_uid == 0
    isOpenToOthers = !isOwn || status.st_mode & 0o022 != 0
    exposesSecrets = isOpenToOthers || status.st_mode & 0o004 != 0
  }
}
