public import TesseraJSON

/// What the server receives when the user has finished a flow (NativeScreens.md, rule 1).
public struct CompletionRequest: Sendable, Equatable {
  public var userId: String?
  public var deviceId: String?
  public var flowId: String?
  /// The answers by their keys, as JSON strings.
  public var responses: JSONObject

  public init(userId: String? = nil, deviceId: String? = nil, flowId: String? = nil, responses: JSONObject = [:]) {
    self.userId = userId
    self.deviceId = deviceId
    self.flowId = flowId
    self.responses = responses
  }

  /// The body of the request.
  public var json: JSONObject {
    var body = JSONObject()
    body["deviceId"] = deviceId.map { .string($0) }
    body["userId"] = userId.map { .string($0) }
    body["flowId"] = flowId.map { .string($0) }
    if !responses.isEmpty { body["responses"] = .object(responses) }
    return body
  }
}
