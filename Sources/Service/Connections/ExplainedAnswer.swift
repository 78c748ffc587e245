import Bridge
import Failures

/// Answers with the failure behind them, for `tessera call`, which has an exit status to choose and a remedy to tell: a
/// request of the local user that has `"explained": true` gets a failed answer with a member `failure`. Other clients do not
/// ask for it, and get answers as the protocol has them.
enum ExplainedAnswer {
  static let member = "explained"

  static func isWanted(by message: JSONValue) -> Bool { message[member] == true }

  static func text(_ message: BridgeMessage) -> String {
    guard case .response(_, _, .failure(let error)) = message, let failure = error.failure,
      case .object(var fields) = message.json
    else { return message.text }
    fields["failure"] = [
      "kind": .string(failure.kind.rawValue), "cause": .string(failure.cause),
      "remedy": failure.remedy.map(JSONValue.string) ?? .null,
      "details": .object(JSONObject(failure.details.mapValues(JSONValue.string))),
    ]
    return JSONValue.object(fields).text
  }

  /// The error of a failed answer, as it was in the service.
  static func error(_ answer: JSONValue) -> BridgeError {
    let error = answer["error"]
    let details = error?["details"]
    return BridgeError(
      error?["code"]?.stringValue ?? "INTERNAL_ERROR", error?["message"]?.stringValue ?? "The answer has no error.",
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
