internal import Glibc
internal import TesseraCryptography
internal import TesseraDurableFiles

/// A file of a policy. Links are followed: administrators link keys and certificates.
enum RecordPolicyFile {
  /// A system call failed with this `errno`.
  struct Unreadable: Error {
    let code: Int32
  }

  /// - Returns: nil if it has more than `limit` bytes.
  static func read(_ path: String, upTo limit: Int) throws(Unreadable) -> SecretBytes? {
    // A pipe without a writer would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Unreadable(code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Unreadable(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Unreadable(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    return SecretBytes(reading: descriptor, upTo: limit)
  }
}
