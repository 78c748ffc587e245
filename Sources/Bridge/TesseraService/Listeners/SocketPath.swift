import FoundationEssentials
import Glibc
package import TesseraCore

/// The paths of the service's Unix sockets.
package enum SocketPath {
  /// The standard path, `$XDG_RUNTIME_DIR/tessera/bridge.sock`. Without that variable, uses `/run/user/UID`, which
  /// systemd creates for each user.
  ///
  /// - Parameter remedy: what helps without that directory, in the words of the program.
  /// - Throws: `Failure` of the kind `usage` if the user has no runtime directory.
  package static func standard(_ environment: [String: String], remedy: String? = nil) throws(Failure) -> String {
    if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return "\(folder)/tessera/bridge.sock" }
    let folder = "/run/user/\(getuid())"
    guard isFolder(folder) else {
      throw Failure(
        .usage, "This user has no runtime directory for sockets.",
        remedy: remedy ?? "Set XDG_RUNTIME_DIR, or specify the path of the socket.")
    }
    return "\(folder)/tessera/bridge.sock"
  }

  /// The path of the metrics socket, in the folder of the bridge socket.
  package static func metrics(beside bridge: String) -> String { folder(of: bridge) + "/metrics.sock" }

  /// The path of the metrics socket of an inspector, in the folder of the standard socket.
  ///
  /// - Parameter name: one word of letters, digits and hyphens.
  package static func metrics(ofInspector name: String, _ environment: [String: String]) throws(Failure) -> String {
    folder(of: try standard(environment)) + "/inspect-\(name).sock"
  }

  static func folder(of path: String) -> String {
    let components = path.split(separator: "/").dropLast()
    return (path.hasPrefix("/") ? "/" : "") + components.joined(separator: "/")
  }

  /// Creates the folder with access for its owner only, if it is missing.
  ///
  /// - Throws: `Failure` of the kind `usage` if the folder cannot be created, or other users can write to it.
  static func prepareFolder(of path: String) throws(Failure) {
    let folder = folder(of: path)
    guard path.hasPrefix("/"), folder.utf8.count + 32 < maximumLength else {
      throw Failure(
        .usage, "The path of the socket is too long or not absolute.", remedy: "Specify a shorter, absolute path.")
    }
    if !isFolder(folder) {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
      try? FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: attributes)
    }
    var status = stat()
    guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure(.usage, "The folder \(folder) does not exist.", remedy: "Create it, or specify another path.")
    }
    guard status.st_uid == getuid(), status.st_mode & 0o022 == 0 else {
      throw Failure(
        .usage, "Other users own the folder \(folder) or can write to it.",
        remedy: "Use a folder that you own, with mode 700.")
    }
  }

  /// The size of a path in `sockaddr_un`, including the final zero.
  static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  private static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
  }
}
