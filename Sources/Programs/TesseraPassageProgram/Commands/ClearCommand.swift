import ArgumentParser
import FoundationEssentials
import TesseraCore
import TesseraDurableFiles

/// Forgets everything that Passage stored.
struct ClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: "Removes the cookies and the storage of Passage, and its log.",
    discussion: """
      Close the window of Passage first.

      Examples:
        tessera-passage clear
        tessera-passage clear --keep-log
      """)

  @Flag(help: "Keep the log of what was sent.")
  var keepLog = false

  func run() throws {
    let folders = PassageFolders(ProcessInfo.processInfo.environment)
    // What a session wrote could lead root to other files.
    try RootIdentity.giveUp()
    let profile = try PassageFolders.has(folders.profile) ? folders.profile : nil
    let log = try !keepLog && PassageFolders.has(folders.state) ? folders.state : nil
    // A session has the lock of the profile, and writes the log, too.
    let lock = try profile.map { path throws(Failure) in try ProfileLock(path) }
    if let profile { try Self.empty(profile) }
    if let log { try Self.empty(log) }
    lock?.release()
    ProgramOutput.note(keepLog ? "The web profile is empty." : "The web profile and the log are empty.")
  }

  /// Removes all entries of the folder, but not what links lead to.
  private static func empty(_ folder: String) throws(Failure) {
    do {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    } catch {
      throw Failure(
        .storageFailed, "A file in \(PrintableText.of(folder)) cannot be removed.",
        remedy: "Check the owner of the files, and remove the folder.")
    }
  }
}
