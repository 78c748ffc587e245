import Foundation
import Synchronization
import Tessera

/// The file of `--trace`: one line a command and one a response.
final class TraceFile: Sendable {
  let isPlain: Bool
  private let file: Mutex<FileHandle>

  init(_ path: String, plain: Bool) throws {
    let header = plain ? "# APDUs with all data: personal data and keys\n" : "# APDUs, data redacted\n"
    let handle = try PrivateFile.open(path)
    do {
      try handle.write(contentsOf: Data(header.utf8))
    } catch {
      throw PrivateFile.unwritable(path)
    }
    isPlain = plain
    file = Mutex(handle)
  }

  func write(_ line: String) {
    file.withLock { try? $0.write(contentsOf: Data((line + "\n").utf8)) }
  }
}
