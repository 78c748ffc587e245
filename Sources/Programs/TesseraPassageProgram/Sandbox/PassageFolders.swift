import FoundationEssentials
import Glibc
import TesseraCore
import TesseraDurableFiles

/// The two folders of the user that Passage writes to. Nothing else of theirs exists in the sandbox.
struct PassageFolders: Equatable {
  /// The web profile: cookies, storage and caches. `$XDG_DATA_HOME/tessera/passage`.
  var profile: String
  /// The log of what was sent. `$XDG_STATE_HOME/tessera/passage`.
  var state: String

  /// The identity that root takes on. No distribution assigns it to a user or a service
  /// (systemd.io/UIDS-GIDS: unused).
  static let substituteOfRoot: uid_t = 60_777

  /// - Parameters:
  ///   - environment: the variables that name the folders.
  ///   - isRoot: whether the user is root. The program gives up root's identity, and the other identity cannot pass
  ///     through root's home. So root's folders are below `/var/lib/tessera-passage`, unless the variables name others.
  init(_ environment: [String: String], isRoot: Bool = getuid() == 0) {
    var environment = environment
    if isRoot {
      for (variable, name) in [("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state")]
      where environment[variable]?.hasPrefix("/") != true { environment[variable] = "/var/lib/tessera-passage/\(name)" }
    }
    profile = UserFolders.data(environment) + "/passage"
    state = UserFolders.state(environment) + "/tessera/passage"
  }

  /// The file that lists what was sent.
  var log: String { state + "/sent.jsonl" }

  /// Whether a file or a folder is there. It may be there, and this user may not know.
  ///
  /// - Throws: `Failure` of the kind `storageUnavailable` if the system does not say.
  static func has(_ path: String) throws(Failure) -> Bool {
    guard access(path, F_OK) != 0 else { return true }
    let error = errno
    guard error != ENOENT, error != ENOTDIR else { return false }
    throw Failure(
      .storageUnavailable,
      "\(PrintableText.of(path)) cannot be reached (\(String(cString: strerror(error)))).",
      remedy: "Let the user \(geteuid()) pass through all folders above it, or unset XDG_DATA_HOME and XDG_STATE_HOME.")
  }

  /// Creates the folders.
  ///
  /// - Throws: `Failure` of the kind `storageUnavailable`.
  func make() throws(Failure) {
    for path in [profile, state] {
      do { try PrivateFolder(path: path).make() } catch {
        throw Failure(
          .storageUnavailable, "The folder \(PrintableText.of(path)) cannot be created.",
          remedy: "Make its parent writable, or set XDG_DATA_HOME and XDG_STATE_HOME to folders that are.")
      }
    }
  }

  /// Creates the folders for the identity that root takes on. That identity must be able to pass through their parents.
  ///
  /// - Throws: `Failure` of the kind `storageUnavailable`.
  func make(for user: uid_t) throws(Failure) {
    for path in [profile, state] {
      Self.makeParents(of: path)
      mkdir(path, 0o700)
      // A folder of the user must not change its owner because root ran this program with their variables.
      var information = stat()
      guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR,
        [0, user].contains(information.st_uid), lchown(path, user, user) == 0, Self.isReachable(path)
      else {
        throw Failure(
          .storageUnavailable, "Root cannot use the folder \(PrintableText.of(path)) for Passage.",
          remedy: "Run tessera-passage as an ordinary user, or unset XDG_DATA_HOME and XDG_STATE_HOME.")
      }
    }
  }

  /// Creates the parents that are missing. Others can pass through them, but not list them.
  private static func makeParents(of path: String) {
    var index = path.startIndex
    while let end = path[path.index(after: index)...].firstIndex(of: "/") {
      mkdir(String(path[..<end]), 0o711)
      index = end
    }
  }

  /// Whether everyone can pass through all parents.
  private static func isReachable(_ path: String) -> Bool {
    var parent = path
    while let end = parent.lastIndex(of: "/"), end != parent.startIndex {
      parent = String(parent[..<end])
      var information = stat()
      guard stat(parent, &information) == 0, information.st_mode & 0o001 != 0 else { return false }
    }
    return true
  }
}
