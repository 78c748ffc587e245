import Glibc
package import Tessera

/// Writes results to standard output.
package enum StandardOutput {
  /// Writes the text and a line break.
  package static func write(_ text: String) throws { try write(bytes: Array((text + "\n").utf8)) }

  /// - Throws: `Failure` of the kind `usage`: a result that cannot be written is not a success.
  package static func write(bytes: [UInt8]) throws {
    let code = bytes.withUnsafeBytes { OutputDescriptor.error(ofWriting: $0, to: STDOUT_FILENO) }
    guard code == 0 else { throw failure(code) }
  }

  /// - Parameter code: why it cannot be written (errno(3)).
  package static func failure(_ code: Int32) -> Failure {
    Failure(
      .usage, "The result cannot be written to standard output: \(String(cString: strerror(code)).lowercased()).",
      remedy: "Check that the file or the program that standard output leads to is available and has free space.")
  }
}

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
