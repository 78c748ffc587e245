public import Failures
import Foundation

/// Where the service's Unix sockets are.
public enum SocketPath {
  /// `$XDG_RUNTIME_DIR/tessera/bridge.sock`, by default in the folder that systemd makes for each user.
  ///
  /// - Throws: `Failure` of the kind `usage` where the user has no such folder.
  public static func standard(_ environment: [String: String]) throws(Failure) -> String {
    if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return "\(folder)/tessera/bridge.sock" }
    let folder = "/run/user/\(getuid())"
    guard isFolder(folder) else {
      throw Failure(
        .usage, "There is no folder for this user's sockets.", remedy: "Set XDG_RUNTIME_DIR, or give --socket PATH.")
    }
    return "\(folder)/tessera/bridge.sock"
  }

  /// The socket of metrics lies beside the one of the bridge.
  public static func metrics(beside bridge: String) -> String { folder(of: bridge) + "/metrics.sock" }

  static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

  /// Makes the folder where it is missing, for its owner only; a folder that others may write to is not used.
  ///
  /// - Throws: `Failure` of the kind `usage`.
  static func prepareFolder(of path: String) throws(Failure) {
    let folder = folder(of: path)
    guard path.hasPrefix("/"), folder.utf8.count + 32 < maximumLength else {
      throw Failure(.usage, "The path of the socket is too long or not absolute.", remedy: "Give a shorter one.")
    }
    if !isFolder(folder) {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
      try? FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: attributes)
    }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure(.usage, "The folder \(folder) is not there.", remedy: "Make it, or give --socket PATH.")
    }
    guard status.st_uid == getuid(), status.st_mode & 0o022 == 0 else {
      throw Failure(
        .usage, "The folder \(folder) belongs to others or can be written by them.",
        remedy: "Use one of your own: chmod 700.")
    }
  }

  /// Of a path in `sockaddr_un`, the final zero included.
  static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
