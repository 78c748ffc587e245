internal import TesseraJSON

/// The socket (Passage.md, rule 5).
extension PassageSession {
  mutating func received(_ event: SocketInput) {
    guard isSocketOpen else { return }
    switch event {
    case .maximumPayload(let limit): longestEmission = limit ?? SocketEmission.longestUnlessNamed
    case .connected:
      guard !isConnected else { return }
      isConnected = true
      if config.sendsJoin { emit(.join(token: token, agentName: config.agentName)) }
      deliverAgain()
    case .disconnected:
      guard isConnected else { return }
      isConnected = false
      log("The connection to the server is gone.")
    case .failed(let reason): report(PassageErrorData(error: reason))
    case .event(let name, let payload):
      guard name.utf8.count <= ServerEvent.maximumName, let event = ServerEvent(name: name, payload: payload) else {
        return log("The server sent an event that is unknown or malformed.")
      }
      received(event)
    case .acknowledged: break
    }
  }

  private mutating func received(_ event: ServerEvent) {
    switch event {
    case .command(let command): received(command)
    case .connection(let state): received(state)
    case .connectionSuccess(let success): complete(success)
    case .connectionError(let error): report(error)
    case .dataComplete(let result): if let result { effects.append(.callback(.dataComplete(result))) }
    case .promptComplete(let response): effects.append(.callback(.promptComplete(response)))
    case .error(let message): report(PassageErrorData(error: message))
    case .notice(let name): log("The server says “\(name)”.")
    }
  }

  private mutating func received(_ state: ConnectionState) {
    if let isRequired = state.userActionRequired { show(isRequired ? .automation : .ui) }
    guard state.isComplete else { return }
    connectionData = state.data
    connectionId = state.id ?? connectionId
    effects.append(
      .callback(
        .dataComplete(
          PassageDataResult(data: .array(state.data.map(JSONValue.object)), prompts: state.promptResults))))
  }

  /// Tells the program of a connection, once for each.
  mutating func complete(_ success: PassageSuccessData) {
    // A server sends few; the text of an identifier is short.
    guard reportedConnections.count < 1_000, success.connectionId.utf8.count <= 1_024 else { return }
    guard reportedConnections.insert(success.connectionId).inserted else { return }
    count(.success)
    effects.append(.callback(.connectionComplete(success)))
  }

  /// Tells the program of the connection that the server described before.
  mutating func completeKnownConnection() {
    guard let connectionData else { return }
    complete(
      PassageSuccessData(
        history: connectionData.compactMap { PassageHistoryItem(.object($0)) }, connectionId: connectionId ?? "",
        data: .array(connectionData.map(JSONValue.object))))
  }

  mutating func changed(_ state: AppState) {
    guard state != appState else { return }
    appState = state
    if isConnected { emit(.appState(state, token: token, at: time)) }
  }
}
