import Synchronization
import Tessera

/// The file of `--trace`: one line per command and response.
final class TraceFile: Sendable {
  let isPlain: Bool
  private let file: Mutex<StreamFile>

  init(_ path: String, plain: Bool) throws {
    let file = try PrivateFile.open(path)
    try file.write(Array((plain ? "# APDUs with all data: personal data and keys\n" : "# APDUs, data redacted\n").utf8))
    isPlain = plain
    self.file = Mutex(file)
  }

  /// Appends a line. Ignores errors: a full disk must not end the read.
  func write(_ line: String) { file.withLock { try? $0.write(Array((line + "\n").utf8)) } }
}
