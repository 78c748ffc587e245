import Glibc

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
