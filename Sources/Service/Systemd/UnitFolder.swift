import DurableFiles
public import Failures
import Foundation

/// The folder of a user's own units (systemd.unit(5)), and the user's service manager, where there is one.
public struct UnitFolder: Sendable {
  /// `$XDG_CONFIG_HOME/systemd/user`.
  public let path: String

  public init(_ environment: [String: String]) { path = UserFolders.settings(environment) + "/systemd/user" }

  private var socket: String { "\(path)/\(ServiceUnits.socketName)" }
  private var service: String { "\(path)/\(ServiceUnits.serviceName)" }

  public var isInstalled: Bool { FileManager.default.fileExists(atPath: socket) }

  /// Writes the units, over those of an earlier version.
  ///
  /// - Throws: `Failure` of the kind `usage` where the folder cannot be written to.
  public func write(_ units: ServiceUnits) throws(Failure) {
    do {
      for folder in units.writableFolders where !FileManager.default.fileExists(atPath: folder) {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try units.socket.write(toFile: socket, atomically: true, encoding: .utf8)
      try units.service.write(toFile: service, atomically: true, encoding: .utf8)
    } catch {
      throw Failure(.usage, "The units cannot be written to \(path).", remedy: "See that you own it and it has room.")
    }
  }

  /// - Returns: whether there was something to remove.
  public func remove() throws(Failure) -> Bool {
    var found = false
    for file in [socket, service] where FileManager.default.fileExists(atPath: file) {
      found = true
      guard unlink(file) == 0 else {
        throw Failure(.usage, "\(file) cannot be removed.", remedy: "See that you own its folder.")
      }
    }
    return found
  }

  /// Asks the user's service manager.
  ///
  /// - Returns: its exit status and what it printed; nil where there is none for this user.
  public func manager(_ arguments: [String]) -> (status: Int32, output: String)? {
    guard
      let program = ["/usr/bin/systemctl", "/bin/systemctl"].first(where: FileManager.default.isExecutableFile(atPath:))
    else { return nil }
    guard let probe = run(program, ["--user", "show-environment"]), probe.status == 0 else { return nil }
    return run(program, ["--user"] + arguments)
  }

  private func run(_ program: String, _ arguments: [String]) -> (status: Int32, output: String)? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let output = (try? pipe.fileHandleForReading.readToEnd()).flatMap { $0 } ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
