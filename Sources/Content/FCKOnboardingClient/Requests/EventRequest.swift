public import FoundationEssentials
import Glibc
public import TesseraJSON

/// Something that happened in a flow, as the server receives it (NativeScreens.md, rule 1).
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

/// What requests say of the machine. It has no identifier of it.
public struct SystemInfo: Sendable, Equatable {
  public static let platform = "linux"

  /// The version of the kernel: the first two numbers, for example `6.8`.
  public var osVersion: String
  /// The architecture, for example `x86_64`.
  public var deviceModel: String

  public init(osVersion: String, deviceModel: String) {
    self.osVersion = osVersion
    self.deviceModel = deviceModel
  }

  /// That of this machine (uname(2)).
  public static let current: SystemInfo = {
    var system = utsname()
    guard uname(&system) == 0 else { return SystemInfo(osVersion: "unknown", deviceModel: "unknown") }
    return SystemInfo(osVersion: version(ofRelease: text(of: system.release)), deviceModel: text(of: system.machine))
  }()

  /// The first two numbers of a release such as `6.8.0-45-generic`. The rest would tell machines apart.
  static func version(ofRelease release: String) -> String {
    let isDigit = { (byte: UInt8) in UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    let numbers = release.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).prefix(2)
      .map { String(decoding: $0.prefix(while: isDigit).prefix(6), as: UTF8.self) }
    return numbers.isEmpty || numbers.contains("") ? "unknown" : numbers.joined(separator: ".")
  }

  /// The text of an array of C characters.
  private static func text<Characters>(of characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// Points in time as ISO 8601 in UTC, without fractions of a second.
package enum Timestamp {
  private static let style = Date.ISO8601FormatStyle()

  package static func text(_ date: Date) -> String { date.formatted(style) }
  package static func date(_ text: String) -> Date? { try? style.parse(text) }
}

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
