import TesseraCommandLine
import TesseraCore
import TesseraFleet
import TesseraNATS

extension FleetOptions {
  /// Connects to the first of the servers that answers.
  ///
  /// - Parameter name: of the desk or the inspector, or that of the administrator: a token of the subjects of its inbox.
  /// - Throws: `NATSError`; `Failure` of the kind `usage` if the name or the seed cannot be used.
  func connect(as name: String) async throws -> NATSConnection {
    guard let name = DeskName(name) else {
      throw Failure(
        .usage, "This cannot be the name of a desk or an inspector.",
        remedy: "Use 1 to 32 characters of a to z, 0 to 9 and -.")
    }
    var servers = FleetServers(
      self.servers, seedFile: fleetSeed, credentialsFile: fleetCredentials, authoritiesFile: fleetCa)
    servers.allowsUnencryptedNetwork = unencrypted
    return try await servers.connect(as: name)
  }

  /// Runs `body` with a connection, which is closed afterwards.
  func withConnection<Result>(
    as name: String, _ body: (NATSConnection) async throws -> Result
  ) async throws -> Result {
    let connection = try await connect(as: name)
    do {
      let result = try await body(connection)
      await connection.close()
      return result
    } catch {
      await connection.close()
      throw error
    }
  }

  /// The same for the administrator.
  func withAdministrator<Result>(_ body: (NATSConnection) async throws -> Result) async throws -> Result {
    try await withConnection(as: FleetServerConfiguration.administratorName, body)
  }
}
