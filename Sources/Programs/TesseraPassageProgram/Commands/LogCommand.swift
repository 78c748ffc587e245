import ArgumentParser
import FoundationEssentials
import Glibc
import PassageProtocol
import TesseraCore

/// Prints what left the machine.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Shows what Passage sent, and to whom.",
    discussion: """
      Each line is one request: when, of which kind, to which server, how many bytes, and of which domains it had \
      cookies, storage, HTML or a picture. The log has no contents.

      The file is $XDG_STATE_HOME/tessera/passage/sent.jsonl.

      Example:
        tessera-passage log --json
      """)

  @Flag(help: "Print one JSON object per line.")
  var json = false

  func run() throws {
    let folders = PassageFolders(ProcessInfo.processInfo.environment)
    // What a session wrote could lead root to other files.
    try RootIdentity.giveUp()
    let entries = try Self.entries(folders.log)
    guard !entries.isEmpty else {
      if !json { ProgramOutput.note("Nothing was sent yet.") }
      return
    }
    guard !json else { return try ProgramOutput.write(entries.map(\.line).joined(separator: "\n")) }
    try ProgramOutput.write(SentTable(entries).text)
  }

  /// The log is smaller: its writer limits it.
  private static let maximumLength = 64 << 20

  /// - Throws: `Failure` of the kind `storageFailed` if the file exists and cannot be read, or `storageUnavailable` if
  ///   this user may not find out whether it exists.
  static func entries(_ path: String) throws(Failure) -> [SentEntry] {
    var entries: [SentEntry] = []
    // The writer keeps one earlier file.
    for file in [path + ".1", path] {
      guard try PassageFolders.has(file) else { continue }
      let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      defer { if descriptor >= 0 { close(descriptor) } }
      guard descriptor >= 0, let bytes = InputBytes.read(descriptor, upTo: maximumLength) else {
        throw Failure(
          .storageFailed, "The log \(PrintableText.of(file)) cannot be read.",
          remedy: "Check that it is a file that you can read.")
      }
      entries += String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { SentEntry(line: $0) }
    }
    return entries
  }
}
