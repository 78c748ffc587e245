import Glibc
internal import Tessera

/// Writes results to standard output.
package enum StandardOutput {
  /// Writes the text and a line break.
  package static func write(_ text: String) throws { try write(bytes: Array((text + "\n").utf8)) }

  /// - Throws: `Failure` of the kind `usage`: a result that cannot be written is not a success.
  package static func write(bytes: [UInt8]) throws {
    guard bytes.withUnsafeBytes({ OutputDescriptor.write($0, to: STDOUT_FILENO) }) else {
      throw Failure(
        .usage, "The result cannot be written to standard output.",
        remedy: "Check that the file or the program that standard output leads to is available and has free space.")
    }
  }
}
