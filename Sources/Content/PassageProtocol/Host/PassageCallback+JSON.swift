package import TesseraJSON

extension PassageCallback {
  /// The name of the callback in `PassageOpenOptions`.
  package var name: String {
    switch self {
    case .connectionComplete: "onConnectionComplete"
    case .connectionError: "onConnectionError"
    case .dataComplete: "onDataComplete"
    case .promptComplete: "onPromptComplete"
    case .exit: "onExit"
    case .webviewChange: "onWebviewChange"
    }
  }

  /// What the callback passes.
  package var json: JSONValue {
    switch self {
    case .connectionComplete(let success):
      Self.object([
        ("history", .array(success.history.map(\.hostJSON))), ("connectionId", .string(success.connectionId)),
        ("data", success.data),
      ])
    case .connectionError(let error): Self.object([("error", .string(error.error)), ("data", error.data)])
    case .dataComplete(let result):
      Self.object([("data", result.data), ("prompts", result.prompts.map { .array($0.map(JSONValue.object)) })])
    case .promptComplete(let answer):
      Self.object([
        ("key", .string(answer.key)), ("value", .string(answer.value)), ("response", answer.response),
      ])
    case .exit(let reason): .string(reason.rawValue)
    case .webviewChange(let view): .string(view.rawValue)
    }
  }

  init(_ name: String, _ value: JSONValue) throws(HostMessageError) {
    switch name {
    case "onConnectionComplete":
      guard let id = value["connectionId"]?.stringValue, case .array(let items)? = value["history"] else {
        throw .wrong(name)
      }
      var history: [PassageHistoryItem] = []
      for item in items { history.append(try PassageHistoryItem(hostJSON: item)) }
      self = .connectionComplete(PassageSuccessData(history: history, connectionId: id, data: value["data"]))
    case "onConnectionError":
      guard let error = value["error"]?.stringValue else { throw .wrong(name) }
      self = .connectionError(PassageErrorData(error: error, data: value["data"]))
    case "onDataComplete": self = .dataComplete(try Self.dataResult(value))
    case "onPromptComplete":
      guard let key = value["key"]?.stringValue, let text = value["value"]?.stringValue else { throw .wrong(name) }
      self = .promptComplete(PassagePromptResponse(key: key, value: text, response: value["response"]))
    case "onExit":
      guard let reason = value.stringValue.flatMap(PassageExitReason.init) else { throw .wrong(name) }
      self = .exit(reason)
    case "onWebviewChange":
      guard let view = value.stringValue.flatMap(PassageView.init) else { throw .wrong(name) }
      self = .webviewChange(view)
    default: throw .unknownType
    }
  }

  private static func dataResult(_ value: JSONValue) throws(HostMessageError) -> PassageDataResult {
    guard case .object(let members) = value else { throw .wrong("onDataComplete") }
    guard let prompts = members["prompts"] else { return PassageDataResult(data: members["data"]) }
    guard case .array(let elements) = prompts else { throw .wrong("prompts") }
    var objects: [JSONObject] = []
    for element in elements {
      guard case .object(let object) = element else { throw .wrong("prompts") }
      objects.append(object)
    }
    return PassageDataResult(data: members["data"], prompts: objects)
  }

  private static func object(_ members: [(String, JSONValue?)]) -> JSONValue {
    var object = JSONObject()
    for (name, value) in members { object[name] = value }
    return .object(object)
  }
}

extension PassageHistoryItem {
  fileprivate var hostJSON: JSONValue {
    var members: JSONObject = ["additionalData": .object(additionalData)]
    members["structuredData"] = structuredData
    return .object(members)
  }

  fileprivate init(hostJSON json: JSONValue) throws(HostMessageError) {
    guard case .object(let additional)? = json["additionalData"] else { throw .wrong("history") }
    self.init(structuredData: json["structuredData"], additionalData: additional)
  }
}
