import Glibc
import Tessera
import TesseraCommandLine

/// A file descriptor that is written sequentially. Closes it at the end.
struct StreamFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// - Throws: `Failure` of the kind `usage`.
  func write(_ bytes: [UInt8]) throws {
    guard bytes.withUnsafeBytes({ OutputDescriptor.write($0, to: descriptor) }) else {
      throw PrivateFile.unwritable(path)
    }
  }
}
