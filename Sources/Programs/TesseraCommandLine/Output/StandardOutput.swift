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
