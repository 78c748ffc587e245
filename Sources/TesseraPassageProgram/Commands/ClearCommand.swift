import ArgumentParser
import FoundationEssentials
import Glibc
import TesseraCore
import TesseraDurableFiles

/// Forgets everything that Passage stored.
struct ClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: "Removes the cookies and the storage of Passage, and its log.")

  @Flag(help: "Keep the log of what was sent.")
  var keepLog = false

  func run() throws {
    let folders = PassageFolders(ProcessInfo.processInfo.environment)
    if access(folders.profile, F_OK) == 0 {
      let lock = try ProfileLock(folders.profile)
      try Self.empty(folders.profile)
      lock.release()
    }
    if !keepLog, access(folders.state, F_OK) == 0 { try Self.empty(folders.state) }
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
