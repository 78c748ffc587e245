import FoundationEssentials
import Glibc
package import TesseraCore
import TesseraDurableFiles
import TesseraThreads

/// The folder of the user's own units (systemd.unit(5)), and access to the user's service manager.
package struct UnitFolder: Sendable {
  /// `$XDG_CONFIG_HOME/systemd/user`.
  package let path: String

  package init(_ environment: [String: String]) { path = UserFolders.settings(environment) + "/systemd/user" }

  private var socket: String { "\(path)/\(ServiceUnits.socketName)" }
  private var service: String { "\(path)/\(ServiceUnits.serviceName)" }

  /// Whether the user has units of their own, which take precedence over those of the Debian package.
  package var isInstalled: Bool { FileManager.default.fileExists(atPath: socket) }

  /// The folder with the units that systemd uses; nil if there are none.
  package var pathInUse: String? {
    [path, Self.packagePath].first { FileManager.default.fileExists(atPath: "\($0)/\(ServiceUnits.socketName)") }
  }

  /// The path of the service unit in use, if it is of an earlier version and refuses all pages.
  package var outdatedUnit: String? {
    guard let path = pathInUse.map({ "\($0)/\(ServiceUnits.serviceName)" }),
      let text = try? String(contentsOfFile: path, encoding: .utf8), ServiceUnits.hidesCallers(text)
    else { return nil }
    return path
  }

  /// The folder with the units of the Debian package.
  private static let packagePath = "/usr/lib/systemd/user"

  /// Writes the units and replaces those of an earlier version.
  ///
  /// - Throws: `Failure` of the kind `usage` if the folder cannot be written to.
  package func write(_ units: ServiceUnits) throws(Failure) {
    do {
      for folder in units.writableFolders where !FileManager.default.fileExists(atPath: folder) {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try units.socket.write(toFile: socket, atomically: true, encoding: .utf8)
      try units.service.write(toFile: service, atomically: true, encoding: .utf8)
    } catch {
      throw .unwritable(path, isFolder: true)
    }
  }

  /// Removes the units.
  ///
  /// - Returns: whether units were installed.
  /// - Throws: `Failure` of the kind `usage` if a unit cannot be removed.
  package func remove() throws(Failure) -> Bool {
    var found = false
    for file in [socket, service] where FileManager.default.fileExists(atPath: file) {
      found = true
      guard unlink(file) == 0 else {
        throw Failure(.usage, "\(file) cannot be removed.", remedy: "Check that you own its folder.")
      }
    }
    return found
  }

  /// Runs `systemctl --user` with these arguments.
  ///
  /// - Returns: the exit status and the output; nil if this user has no service manager.
  package func manager(_ arguments: [String]) -> (status: Int32, output: String)? {
    guard
      let program = ["/usr/bin/systemctl", "/bin/systemctl"].first(where: FileManager.default.isExecutableFile(atPath:))
    else { return nil }
    guard let probe = run(program, ["--user", "show-environment"]), probe.status == 0 else { return nil }
    return run(program, ["--user"] + arguments)
  }

  private func run(_ program: String, _ arguments: [String]) -> (status: Int32, output: String)? {
    guard let child = ChildProcess(program, arguments: arguments, standardError: .output) else { return nil }
    let output = child.readToEnd()
    return (child.waitUntilExit(), String(decoding: output, as: UTF8.self))
  }
}
