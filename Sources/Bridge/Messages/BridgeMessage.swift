#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What this end sends: answers and events. Every field is always written, since clients discard incomplete
/// messages.
public enum BridgeMessage: Sendable, Equatable {
  case response(to: String, domain: BridgeDomain, Result<JSONValue, BridgeError>)
  case event(domain: BridgeDomain, name: String, data: JSONValue)

  /// The message with an identifier and a time of its own.
  public var json: JSONValue {
    var fields: JSONObject = [
      "version": .integer(BridgeRequest.protocolVersion),
      "id": .string(UUID().uuidString.lowercased()),
      "timestamp": .integer(Int64(Date.now.timeIntervalSince1970 * 1000)),
    ]
    switch self {
    case .response(let requestId, let domain, let outcome):
      fields["type"] = "response"
      fields["domain"] = .string(domain.rawValue)
      fields["requestId"] = .string(requestId)
      switch outcome {
      case .success(let data):
        fields["success"] = true
        fields["data"] = data
        fields["error"] = nil as JSONValue
      case .failure(let error):
        fields["success"] = false
        fields["data"] = nil as JSONValue
        fields["error"] = [
          "code": .string(error.code), "message": .string(error.message), "details": error.details ?? nil,
        ]
      }
    case .event(let domain, let name, let data):
      fields["type"] = "event"
      fields["domain"] = .string(domain.rawValue)
      fields["event"] = .string(name)
      fields["data"] = data
    }
    return .object(fields)
  }

  /// One line of JSON.
  public var text: String { json.text }

  /// The script that delivers the message into a page (one evaluation in the main frame).
  public var script: String {
    let function =
      switch self {
      case .response: "_handleResponse"
      case .event: "_handleEvent"
      }
    return "window.SelfNativeBridge.\(function)(\(ScriptLiteral.quote(text)))"
  }
}

/// A JavaScript string literal in single quotes.
public enum ScriptLiteral {
  public static func quote(_ text: some StringProtocol) -> String {
    var literal = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": literal += "\\\\"
      case "'": literal += "\\'"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\u{2028}": literal += "\\u2028"
      case "\u{2029}": literal += "\\u2029"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "'"
  }
}
