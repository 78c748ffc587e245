import Glibc

package enum OutputDescriptor {
  /// Writes all bytes, across interruptions and partial writes.
  ///
  /// - Returns: whether all bytes were written.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    error(ofWriting: bytes, to: descriptor) == 0
  }

  /// Writes all bytes, as `write` does.
  ///
  /// - Returns: `errno` of the call that failed; 0 if all bytes were written.
  package static func error(ofWriting bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}
