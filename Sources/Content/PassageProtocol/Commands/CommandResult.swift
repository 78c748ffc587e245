package import TesseraJSON

/// The answer to a command (Passage.md, rule 7). Members without a value are left out.
package struct CommandResult: Sendable, Equatable {
  package enum Status: String, Sendable { case success, error, done }

  package var id: String
  package var status: Status
  package var data: JSONValue?
  package var pageData: PageData?
  package var error: String?

  package static func success(
    _ id: String, _ data: JSONValue?, _ pageData: PageData?, status: Status = .success
  ) -> CommandResult {
    CommandResult(id: id, status: status, data: data, pageData: pageData)
  }

  /// An error carries no page data.
  package static func error(_ id: String, _ error: String, data: JSONValue? = nil) -> CommandResult {
    CommandResult(id: id, status: .error, data: data, error: error)
  }

  package static func unsupported(_ id: String, type: String) -> CommandResult {
    .error(
      id, "Unsupported command type: \(type)",
      data: ["errorType": "unsupported_command", "commandType": .string(type)])
  }

  package var json: JSONObject {
    var members: JSONObject = ["id": .string(id), "status": .string(status.rawValue)]
    members["data"] = data
    members["pageData"] = pageData.map { .object($0.json) }
    members["error"] = error.map(JSONValue.string)
    return members
  }

  /// The body for the server that records sessions.
  package func recorded(at time: UnixTime) -> JSONObject {
    ["commandResponse": ["at": .string(time.textWithMilliseconds), "data": .object(json)]]
  }
}
