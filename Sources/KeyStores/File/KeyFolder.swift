import Cryptography
import Foundation

/// A folder of key files, `OWNER/NAME.pem` with both escaped. Every change is atomic and on the disk when it is
/// answered; changes of several processes wait for each other.
struct KeyFolder: Sendable {
  let path: String

  /// What tells one content of a file from another without reading it.
  struct Identity: Equatable, Sendable {
    let inode: UInt64
    let seconds: Int
    let nanoseconds: Int
    let size: Int64
  }

  /// nil where there is no such file.
  func identity(of name: KeyName) -> Identity? {
    var status = stat()
    guard stat(file(name), &status) == 0 else { return nil }
    return Identity(status)
  }

  /// The content with its identity; nil where there is no such file.
  func read(_ name: KeyName) throws -> (text: SecretBytes, identity: Identity)? {
    let descriptor = open(file(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failed() }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, status.st_size <= KeyFile.largest else {
      throw KeyStoreError.damaged(name, "its size")
    }
    let text = try SecretBytes(count: Int(status.st_size)) { buffer in
      guard Glibc.read(descriptor, buffer.baseAddress, buffer.count) == buffer.count else { throw failed() }
    }
    return (text, Identity(status))
  }

  /// - Parameter replacing: false: throws `KeyStoreError.exists` where there is such a file, and changes nothing.
  func write(_ text: SecretBytes, to name: KeyName, store: String, replacing: Bool) throws {
    let folder = path + "/" + Self.escaped(name.owner.text)
    try changing {
      try Self.make(folder)
      let temporary = folder + "/" + Self.temporaryPrefix + UUID().uuidString
      let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failed() }
      defer { unlink(temporary) }
      do {
        defer { close(descriptor) }
        try text.withUnsafeBytes { bytes in
          guard Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else { throw failed() }
        }
        guard fsync(descriptor) == 0 else { throw failed() }
      }
      if replacing {
        guard rename(temporary, file(name)) == 0 else { throw failed() }
      } else if link(temporary, file(name)) != 0 {
        throw errno == EEXIST ? KeyStoreError.exists(name, store: store) : failed()
      }
      try synchronise(folder)
    }
  }

  /// - Returns: false where there was none.
  func remove(_ name: KeyName) throws -> Bool {
    guard identity(of: name) != nil else { return false }
    return try changing {
      guard unlink(file(name)) == 0 else {
        guard errno == ENOENT else { throw failed() }
        return false
      }
      try synchronise(path + "/" + Self.escaped(name.owner.text))
      return true
    }
  }

  /// The names of all files, in order.
  func names() -> [KeyName] {
    let owners = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return owners.sorted().flatMap { folder -> [KeyName] in
      guard let text = Self.unescaped(folder) else { return [] }
      let owner = text == KeyOwner.local.text ? KeyOwner.local : .web(origin: text)
      let files = (try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []
      return files.sorted().compactMap { file in
        guard file.hasSuffix(Self.suffix), let name = Self.unescaped(String(file.dropLast(Self.suffix.count))) else {
          return nil
        }
        return try? KeyName(name, owner: owner)
      }
    }
  }

  // MARK: - Files

  private static let suffix = ".pem"
  private static let temporaryPrefix = ".new-"

  private func file(_ name: KeyName) -> String {
    "\(path)/\(Self.escaped(name.owner.text))/\(Self.escaped(name.name))\(Self.suffix)"
  }

  /// Letters, digits, `-`, `_` and inner dots stay; the other bytes become `%XX`.
  static func escaped(_ text: String) -> String {
    let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
    return text.utf8.enumerated().map { index, byte in
      plain.contains(byte) && !(index == 0 && byte == UInt8(ascii: "."))
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  static func unescaped(_ text: String) -> String? {
    guard let plain = text.removingPercentEncoding, escaped(plain) == text else { return nil }
    return plain
  }

  /// Runs a change while no other process makes one, and takes away what a killed one left behind.
  private func changing<Result>(_ body: () throws -> Result) throws -> Result {
    try Self.make(path)
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }  // gives the lock back, too
    while flock(descriptor, LOCK_EX) != 0 { guard errno == EINTR else { throw failed() } }
    for folder in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
      for file in (try? FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)) ?? []
      where file.hasPrefix(Self.temporaryPrefix) {
        unlink("\(path)/\(folder)/\(file)")
      }
    }
    return try body()
  }

  /// Makes a folder that only its owner can enter, with those above it.
  static func make(_ folder: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw KeyStoreError.folder(path: folder, reason: "it cannot be made")
    }
  }

  private func synchronise(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failed() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failed() }
  }

  private func failed() -> KeyStoreError {
    .folder(path: path, reason: String(cString: strerror(errno)).lowercased())
  }
}

extension KeyFolder.Identity {
  init(_ status: stat) {
    self.init(
      inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
      size: Int64(status.st_size))
  }
}
