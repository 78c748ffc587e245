import Foundation
import Tessera

/// Results go to standard output; one that cannot be written is an error, not a success.
enum StandardOutput {
  /// - Parameter text: without the line break at its end.
  static func write(_ text: String) throws { try write(bytes: Data((text + "\n").utf8)) }

  static func write(bytes: Data) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: bytes)
    } catch {
      throw Failure(
        .usage, "The result cannot be written to standard output.",
        remedy: "See that the file or the program behind it is there and has room.")
    }
  }
}
