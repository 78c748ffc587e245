import Glibc
import Tessera

/// The dump of a path that the user named, or what else is there.
enum NamedDump {
  /// - Throws: `DumpError`; `Failure` naming the command for a seal.
  static func load(_ path: String) throws -> SavedDump {
    do {
      return try SavedDump.load(path: path)
    } catch {
      guard case .notADump = error, isSeal(path) else { throw error }
      throw Failure(.usage, "\(path) is a seal, which is not a dump.", remedy: "Verify it with `tessera seal verify`.")
    }
  }

  /// - Parameter isFolder: whether to look at a folder, or at a file.
  /// - Returns: the failure of a command for seals; nil if there is no dump.
  static func failureAsSeal(_ path: String, isFolder: Bool) -> Failure? {
    guard path != "-", PrivateFile.isFolder(path) == isFolder, !PrivateFile.isStream(path),
      (try? SavedDump.load(path: path)) != nil
    else { return nil }
    return Failure(
      isFolder ? .usage : .noSeal, "\(path) is the dump of a travel document, which is not a seal.",
      remedy: "Verify it with `tessera passport verify`.")
  }

  private static func isSeal(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return (try? SealSource(path: path)) != nil
  }
}
