internal import TesseraBridge

/// The events for the server (2.6).
extension SocketEmission {
  static func join(token: String, agentName: String) -> SocketEmission {
    SocketEmission("join", ["intentToken": .string(token), "agentName": .string(agentName)])
  }

  static func commandResult(_ result: CommandResult) -> SocketEmission {
    SocketEmission("commandResult", .object(result.json))
  }

  static func appState(_ state: AppState, token: String, at time: UnixTime) -> SocketEmission {
    SocketEmission(
      "appStateUpdate",
      ["state": .string(state.rawValue), "timestamp": .string(time.text), "intentToken": .string(token)])
  }

  static func modalExit(token: String, at time: UnixTime) -> SocketEmission {
    SocketEmission(
      Self.modalExitName, ["timestamp": .string(time.text), "intentToken": .string(token)],
      wantsAcknowledgement: true)
  }

  static let modalExitName = "modalExit"
}
