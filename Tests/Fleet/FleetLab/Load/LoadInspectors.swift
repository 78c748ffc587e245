internal import FoundationEssentials
internal import TesseraCore
internal import TesseraFleet
internal import TestSupport

/// The inspectors of a lab: processes of the program `tessera-fleet`, as it is installed.
package enum LoadInspectors {
  /// Beside the running program or test bundle.
  package static let program = ProgramRun.built("tessera-fleet").path

  /// An inspector that is not started yet; `prepare` writes its root. Its spool stays when it is killed.
  ///
  /// - Parameter wrap: makes a command of it that runs it elsewhere.
  package static func process(
    _ name: String, _ servers: LoadServers, folder: String,
    wrap: (LoadCommand) -> LoadCommand = { $0 }
  ) -> LoadProcess {
    let arguments =
      ["inspect"] + servers.arguments(seed: servers.folder.inspectorSeed(name))
      + ["--trust", "bucket", "--root", root(servers), "--spool", "\(folder)/\(name).spool"]
    return LoadProcess(
      name, wrap(LoadCommand(program, arguments)), environment: environment("\(folder)/\(name)")
    ) { $0.output.contains("ready ") }
  }

  /// Each program has folders of its own, so that it uses nothing of this user.
  private static func environment(_ folder: String) -> [String: String] {
    [
      "HOME": folder, "XDG_DATA_HOME": "\(folder)/data", "XDG_RUNTIME_DIR": "\(folder)/run",
      "DBUS_SESSION_BUS_ADDRESS": "",
    ]
  }

  /// The file of the country signer that all inspectors trust.
  private static func root(_ servers: LoadServers) -> String { "\(servers.folder.path)/root.cer" }

  /// Creates the stream and the bucket, publishes the certificates, and writes the root of the inspectors.
  package static func prepare(_ servers: LoadServers, _ trust: LoadTrust, replicas: Int) async throws {
    let arguments =
      ["fleet", "prepare"] + servers.arguments(seed: servers.folder.administratorSeed) + ["--replicas", "\(replicas)"]
    let run = try await RunningProgram(ProgramRun.built("tessera-fleet"), arguments).finish(within: 300)
    guard run.status == 0 else { throw Failure(.serviceUnavailable, "fleet prepare: \(run.errors)") }
    try Data(trust.root.der).write(to: URL(fileURLWithPath: root(servers)))
    let connection = try await servers.connectAdministrator()
    do {
      _ = try await TrustBucket(connection).publish(trust.files, roots: [trust.root])
      await connection.close()
    } catch {
      await connection.close()
      throw error
    }
  }
}
