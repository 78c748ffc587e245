internal import FoundationEssentials
import RampKitFlow
import TesseraBridge
internal import TesseraHTTPClient

/// Sends the device information and events to the address that the program names. Without one it sends nothing.
///
/// As in the original, an event is sent once: it is not repeated, not kept and not bundled.
struct EventSender: Sendable {
  private static let responseLimit = 64 << 10

  /// What all events of a start carry.
  struct Frame: Sendable {
    var appId: String
    var device: DeviceInfo
    var flowId: String?
    var targeting: Targeting.Result?
  }

  let transport: any HTTPTransport
  /// nil: nothing is sent.
  let base: String?
  let apiKey: String?

  var isOn: Bool { base != nil }

  /// - Throws: `HTTPError`, or `CancellationError`.
  func send(_ device: DeviceInfo, targeting: Targeting.Result?, appId: String) async throws {
    var body = device.json
    if let targeting {
      body["matchedTargetId"] = .string(targeting.target.id)
      body["matchedTargetName"] = .string(targeting.target.name)
      body["matchedOnboardingId"] = .string(targeting.choice.id)
      body["matchedOnboardingVersionId"] = targeting.choice.versionId.map { .string($0) }
      body["abTestBucket"] = .integer(Int64(targeting.bucket))
    }
    guard
      let response = try await post(
        body, to: "app-users?appId=\(PercentEncoding.component(appId))", timeLimit: .seconds(30))
    else { return }
    let reply = try? JSONValue(text: String(decoding: response.body, as: UTF8.self))
    guard response.isSuccess else { throw HTTPError.status(response.status) }
    guard reply?["success"] == true else { throw HTTPError.invalidResponse }
  }

  /// - Throws: `HTTPError`, or `CancellationError`.
  func send(_ event: FlowEvent, in frame: Frame, at date: Date = Date()) async throws {
    let response = try await post(Self.body(event, frame, date), to: "app-user-events", timeLimit: .seconds(10))
    if let response, !response.isSuccess { throw HTTPError.status(response.status) }
  }

  /// The body of an event (Flows.md, rule 5).
  static func body(_ event: FlowEvent, _ frame: Frame, _ date: Date) -> JSONObject {
    func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
    let device = frame.device
    var deviceMembers: JSONObject = [
      "platform": .string(device.platform), "platformVersion": .string(device.platformVersion),
      "deviceModel": .string(device.deviceModel), "sdkVersion": .string(device.sdkVersion),
    ]
    deviceMembers["appVersion"] = text(device.appVersion)
    deviceMembers["buildNumber"] = text(device.buildNumber)
    var context = JSONObject()
    context["screenName"] = text(event.screenName)
    context["flowId"] = text(frame.flowId)
    context["variantId"] = text(frame.targeting?.choice.versionId)
    context["paywallId"] = event.properties["paywallId"]
    context["locale"] = .string(device.deviceLocale)
    context["regionCode"] = text(device.regionCode)
    context["placement"] = event.properties["placement"]
    var properties = event.properties
    if event.isKnown, let targeting = frame.targeting {
      properties["targetId"] = .string(targeting.target.id)
      properties["bucket"] = .integer(Int64(targeting.bucket))
      properties["versionId"] = text(targeting.choice.versionId)
    }
    return [
      "appId": .string(frame.appId), "appUserId": .string(device.appUserId),
      "eventId": .string(UUID().uuidString.lowercased()), "eventName": .string(event.name),
      "sessionId": .string(device.appSessionId), "occurredAt": .string(Timestamp.text(date)),
      "device": .object(deviceMembers), "context": .object(context), "properties": .object(properties),
    ]
  }

  /// - Returns: nil if nothing is sent.
  private func post(_ body: JSONObject, to path: String, timeLimit: Duration) async throws -> HTTPResponse? {
    guard let base else { return nil }
    let address = try HTTPSAddress((base.hasSuffix("/") ? base : base + "/") + path)
    var request = HTTPRequest(address, sizeLimit: Self.responseLimit, timeLimit: timeLimit)
    request.method = .post(Array(JSONValue.object(body).text.utf8), type: "application/json")
    request.redirects = .none
    if let apiKey { request.headers = [("apikey", apiKey)] }
    return try await transport.response(to: request)
  }
}
