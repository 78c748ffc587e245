import Cryptography
import Foundation

/// Files of mode 0600 that are there wholly or not at all, and on the disk when that is answered.
struct DurableFile {
  let path: String

  /// What a killed process may leave behind begins so.
  static let temporaryPrefix = ".new-"

  private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  /// - Parameter replacing: whether a file that is there gives way.
  /// - Returns: false where there is one and it must not.
  func write(_ content: SecretBytes, replacing: Bool) throws -> Bool {
    try Self.make(folder)
    let temporary = "\(folder)/\(Self.temporaryPrefix)\(UUID().uuidString)"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failed(folder) }
    defer { unlink(temporary) }
    do {
      defer { close(descriptor) }
      try content.withUnsafeBytes { bytes in
        guard Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
          throw Self.failed(folder)
        }
      }
    }
    if replacing {
      guard rename(temporary, path) == 0 else { throw Self.failed(folder) }
    } else if link(temporary, path) != 0 {
      guard errno == EEXIST else { throw Self.failed(folder) }
      return false
    }
    try Self.synchronise(folder)
    return true
  }

  /// The content; nil where there is no such file. Links are not followed.
  func read(upTo limit: Int) throws -> (content: SecretBytes, status: stat)? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Self.failed(folder) }
      return nil
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let content = SecretBytes(reading: descriptor, upTo: limit)
    else { throw KeyStoreError.folder(path: folder, reason: "a file in it is none of ours") }
    return (content, status)
  }

  /// - Returns: false where there was none.
  func remove() throws -> Bool {
    guard unlink(path) == 0 else {
      guard errno == ENOENT else { throw Self.failed(folder) }
      return false
    }
    try Self.synchronise(folder)
    return true
  }

  /// Makes a folder that only its owner can enter, with those above it.
  static func make(_ folder: String) throws {
    guard access(folder, F_OK) != 0 else { return }
    let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
    if parent != folder { try make(parent) }
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failed(folder) }
    try synchronise(parent)
  }

  private static func synchronise(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed(folder) }
    defer { close(descriptor) }
    // Some file systems cannot do it for folders, and need not.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failed(folder) }
  }

  static func failed(_ folder: String) -> KeyStoreError {
    .folder(path: folder, reason: String(cString: strerror(errno)).lowercased())
  }
}
