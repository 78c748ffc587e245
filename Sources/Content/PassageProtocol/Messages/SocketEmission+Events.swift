internal import TesseraJSON

/// The events for the server (Passage.md, rule 5).
extension SocketEmission {
  /// In bytes: common servers close the connection when a message is longer, if they name no other limit.
  package static let longestUnlessNamed = 1_000_000

  /// How long the message is at most, in bytes: the payload, the name, the namespace, and what is around them (an
  /// acknowledgement's identifier has up to 16 digits).
  func length(payload: Int, namespace: String) -> Int { payload + name.utf8.count + namespace.utf8.count + 32 }

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
