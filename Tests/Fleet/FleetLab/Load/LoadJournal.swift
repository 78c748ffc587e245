internal import FoundationEssentials
internal import Glibc
internal import TesseraCore

/// A file with one JSON line for each event. A line that was written stays, also if the process is killed.
package final class LoadJournal: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Opens or creates the file, and appends to it.
  package init(path: String) throws {
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    self.path = path
    guard descriptor >= 0 else { throw Failure(.usage, "\(path) cannot be written.") }
  }

  deinit { close(descriptor) }

  /// Writes the whole line by one call, so that lines of several threads do not mix.
  package func append(_ entry: LoadEntry) throws {
    var line = Array(try JSONEncoder().encode(entry))
    line.append(UInt8(ascii: "\n"))
    let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == line.count else { throw Failure(.serviceUnavailable, "\(path) cannot be written.") }
  }

  /// The entries of a journal; none if there is no such file. The last line is left out while it is incomplete.
  package static func entries(path: String) throws -> [LoadEntry] {
    guard let content = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return [] }
    guard let end = content.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    return try content[..<end].split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(LoadEntry.self, from: Data($0))
    }
  }
}
