public import FoundationEssentials
public import TesseraJSON

/// Something that happened in a flow, as the server receives it (the dossier, section 2.1).
public struct EventRequest: Sendable, Equatable {
  /// For example `screen_viewed`.
  public var eventType: String
  public var timestamp: Date
  public var userId: String?
  /// The device id.
  public var sessionId: String?
  public var flowId: String?
  /// From 0.
  public var screenIndex: Int?
  public var metadata: JSONObject
  public var system: SystemInfo
  public var appVersion: String?

  public init(
    eventType: String, timestamp: Date, userId: String? = nil, sessionId: String? = nil, flowId: String? = nil,
    screenIndex: Int? = nil, metadata: JSONObject = [:], system: SystemInfo = .current, appVersion: String? = nil
  ) {
    self.eventType = eventType
    self.timestamp = timestamp
    self.userId = userId
    self.sessionId = sessionId
    self.flowId = flowId
    self.screenIndex = screenIndex
    self.metadata = metadata
    self.system = system
    self.appVersion = appVersion
  }

  /// The body of the request.
  public var json: JSONObject {
    var body: JSONObject = ["eventType": .string(eventType), "timestamp": .string(Timestamp.text(timestamp))]
    body["userId"] = userId.map { .string($0) }
    body["sessionId"] = sessionId.map { .string($0) }
    body["flowId"] = flowId.map { .string($0) }
    body["screenIndex"] = screenIndex.map { .integer(Int64($0)) }
    if !metadata.isEmpty { body["metadata"] = .object(metadata) }
    body["platform"] = .string(SystemInfo.platform)
    body["deviceInfo"] = [
      "osVersion": .string(system.osVersion), "deviceModel": .string(system.deviceModel),
      "appVersion": .string(appVersion ?? "unknown"),
    ]
    return body
  }
}
