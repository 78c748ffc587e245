import Glibc

/// What tells one content of a durable file from another without reading it: every new content is a new file.
public struct FileIdentity: Hashable, Sendable {
  public let inode: UInt64
  public let seconds: Int
  public let nanoseconds: Int
  /// In bytes.
  public let size: Int

  init(_ status: stat) {
    inode = UInt64(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
    size = Int(status.st_size)
  }
}
