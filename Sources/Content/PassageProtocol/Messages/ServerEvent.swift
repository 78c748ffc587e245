package import TesseraJSON

/// An event of the socket (Passage.md, rule 5).
package enum ServerEvent: Sendable, Equatable {
  case command(AutomationCommand)
  case connection(ConnectionState)
  case connectionSuccess(PassageSuccessData)
  case connectionError(PassageErrorData)
  /// nil if the status is neither `data_available` nor `data_partially_available`.
  case dataComplete(PassageDataResult?)
  case promptComplete(PassagePromptResponse)
  case error(message: String)
  /// `connected`, `welcome` and `disconnect`, which are only logged.
  case notice(String)

  /// In bytes of UTF-8: longer names are not compared, since comparing long texts takes long.
  static let maximumName = 256
  /// The text of an error that names none.
  static let unknownError = "Unknown error"
  private static let statusesWithData: Set<String> = ["data_available", "data_partially_available"]

  /// - Returns: nil if the event is unknown or malformed; it is then ignored.
  package init?(name: String, payload: JSONValue) {
    switch name {
    case "command":
      guard let command = AutomationCommand(payload) else { return nil }
      self = .command(command)
    case "connection":
      guard payload.objectValue != nil else { return nil }
      self = .connection(ConnectionState(payload))
    case "CONNECTION_SUCCESS":
      guard payload.objectValue != nil else { return nil }
      self = .connectionSuccess(PassageSuccessData(connections: payload))
    case "CONNECTION_ERROR":
      self = .connectionError(
        PassageErrorData(error: payload["error"]?.stringValue ?? Self.unknownError, data: payload.ifPresent))
    case "DATA_COMPLETE":
      guard payload.objectValue != nil else { return nil }
      self = .dataComplete(
        Self.hasData(payload["status"])
          ? PassageDataResult(data: payload["data"], prompts: payload["prompts"]?.objects) : nil)
    case "PROMPT_COMPLETE":
      guard let key = payload["key"]?.stringValue, let value = payload["value"]?.stringValue else { return nil }
      self = .promptComplete(PassagePromptResponse(key: key, value: value, response: payload["response"]))
    case "error":
      self = .error(
        message: (payload.stringValue ?? payload["message"]?.stringValue ?? payload["error"]?.stringValue)?
          .shortened(to: 500) ?? Self.unknownError)
    case "connected", "welcome", "disconnect": self = .notice(name)
    default: return nil
    }
  }

  static func hasData(_ status: JSONValue?) -> Bool {
    status?.name.map(statusesWithData.contains) ?? false
  }
}

/// How far the server is (`connection`).
package struct ConnectionState: Sendable, Equatable {
  package var id: String?
  package var userActionRequired: Bool?
  package var status: String?
  package var statusMessage: String?
  package var progress: Double?
  package var data: [JSONObject]
  package var promptResults: [JSONObject]?

  init(_ value: JSONValue) {
    id = value["id"]?.stringValue
    userActionRequired = value["userActionRequired"]?.boolValue
    status = value["status"]?.stringValue
    statusMessage = value["statusMessage"]?.stringValue
    progress = value["progress"]?.doubleValue
    data = value["data"]?.objects ?? []
    promptResults = value["promptResults"]?.objects
  }

  /// Whether the connection is complete: its data is kept, and the program is told.
  package var isComplete: Bool {
    ServerEvent.hasData(status.map(JSONValue.string)) && progress == 100 && !data.isEmpty
  }
}

extension PassageSuccessData {
  /// `{connections, connectionId}`: the connections are the history, and everything is the data.
  init(connections value: JSONValue) {
    self.init(
      history: (value["connections"]?.arrayValue ?? []).compactMap(PassageHistoryItem.init),
      connectionId: value["connectionId"]?.stringValue ?? "", data: value)
  }
}
