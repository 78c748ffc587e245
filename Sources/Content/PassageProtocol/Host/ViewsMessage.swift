package import TesseraCore
package import TesseraJSON

/// What the process `tessera-passage session` says to its host program: one line of JSON each.
package enum ViewsMessage: Sendable, Equatable {
  /// The process is in its sandbox and has a display.
  case ready
  /// A callback of the API.
  case callback(PassageCallback)
  /// Open this address outside of Passage: the process has no way to the desktop's programs. The host checks it again.
  case openExternally(String)
  /// The answer to the call with this id.
  case answer(id: Int, JSONValue)
  /// The call with this id failed; without an id, the process cannot show Passage and ends.
  case failure(id: Int?, Failure)
}

extension ViewsMessage {
  package var json: JSONValue {
    switch self {
    case .ready: ["type": "ready"]
    case .callback(let callback): ["type": "callback", "name": .string(callback.name), "value": callback.json]
    case .openExternally(let address): ["type": "openExternally", "url": .string(address)]
    case .answer(let id, let value): ["type": "answer", "id": .integer(Int64(id)), "value": value]
    case .failure(let id, let failure): .object(Self.members(id, failure))
    }
  }

  private static func members(_ id: Int?, _ failure: Failure) -> JSONObject {
    var members: JSONObject = [
      "type": "failure", "kind": .string(failure.kind.rawValue), "cause": .string(failure.cause),
    ]
    members["id"] = id.map { .integer(Int64($0)) }
    members["remedy"] = failure.remedy.map(JSONValue.string)
    return members
  }

  /// - Throws: `HostMessageError` that says what is wrong, without a value of the message.
  package init(_ json: JSONValue) throws(HostMessageError) {
    guard let type = json["type"]?.stringValue else { throw .missing("type") }
    switch type {
    case "ready": self = .ready
    case "callback":
      guard let name = json["name"]?.stringValue, let value = json["value"] else { throw .missing("value") }
      self = .callback(try PassageCallback(name, value))
    case "openExternally":
      guard let address = json["url"]?.stringValue else { throw .missing("url") }
      self = .openExternally(address)
    case "answer":
      guard let id = try Self.id(json), let value = json["value"] else { throw .missing("value") }
      self = .answer(id: id, value)
    case "failure":
      guard let kind = json["kind"]?.stringValue.flatMap(FailureKind.init), let cause = json["cause"]?.stringValue
      else { throw .wrong("kind") }
      self = .failure(id: try Self.id(json), Failure(kind, cause, remedy: json["remedy"]?.stringValue))
    default: throw .unknownType
    }
  }

  private static func id(_ json: JSONValue) throws(HostMessageError) -> Int? {
    guard let value = json["id"] else { return nil }
    guard case .integer(let number) = value, number >= 0, let id = Int(exactly: number) else { throw .wrong("id") }
    return id
  }
}
