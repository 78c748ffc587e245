import TesseraBridge
import TesseraCore

/// Failed responses that carry the underlying `Failure`: `tessera call` needs it for its exit status and remedy. A
/// request of a local program with `"explained": true` receives a failed response with an additional member `failure`.
/// All other clients receive responses as the protocol defines them.
enum ExplainedResponse {
  static let member = "explained"

  static func isRequested(by message: JSONValue) -> Bool { message[member] == true }

  static func encoded(_ message: BridgeMessage) -> [UInt8] {
    guard case .response(_, _, .failure(let error)) = message, let failure = error.failure else {
      return message.encoded()
    }
    let explanation: JSONValue = [
      "kind": .string(failure.kind.rawValue), "cause": .string(failure.cause),
      "remedy": failure.remedy.map(JSONValue.string) ?? .null,
      "details": .object(JSONObject(failure.details.mapValues(JSONValue.string))),
    ]
    return message.encoded(adding: [("failure", explanation)])
  }

  /// The error of a failed response, as it was in the service.
  static func error(_ answer: JSONValue) -> BridgeError {
    let error = answer["error"]
    let details = error?["details"]
    return BridgeError(
      error?["code"]?.stringValue ?? "INTERNAL_ERROR", error?["message"]?.stringValue ?? "The response has no error.",
      details: details == .null ? nil : details, failure: answer["failure"].flatMap(failure))
  }

  private static func failure(_ value: JSONValue) -> Failure? {
    guard let kind = value["kind"]?.stringValue.flatMap(FailureKind.init(rawValue:)),
      let cause = value["cause"]?.stringValue
    else { return nil }
    var details: [String: String] = [:]
    if case .object(let members)? = value["details"] {
      for member in members.members { details[member.name] = member.value.stringValue }
    }
    return Failure(kind, cause, remedy: value["remedy"]?.stringValue, details: details)
  }
}
