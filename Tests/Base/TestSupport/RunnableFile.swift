import Foundation

/// Programs that tests make and run. A process of its own writes them: if this process did, one that another thread starts
/// meanwhile would keep the file open for a moment, and the system would refuse to run it (ETXTBSY).
public enum RunnableFile {
  /// Writes a script and makes it executable.
  ///
  /// - Throws: `RunnableFileError` if it cannot be written.
  public static func write(_ script: String, to path: String) throws {
    try run(#"printf %s "$1" > "$2" && chmod 755 "$2""#, script, path)
  }

  /// Copies a program.
  ///
  /// - Throws: `RunnableFileError` if it cannot be copied.
  public static func copy(_ program: URL, to copy: URL) throws { try run(#"cp "$1" "$2""#, program.path, copy.path) }

  private static func run(_ command: String, _ source: String, _ path: String) throws {
    guard ProgramRun.succeeds("/bin/sh", ["-c", command, "sh", source, path]) else {
      throw RunnableFileError(path: path)
    }
  }
}

public struct RunnableFileError: Error { public let path: String }
