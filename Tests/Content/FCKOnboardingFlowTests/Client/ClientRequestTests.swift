import Foundation
import TesseraCore
import TesseraHTTPClient
import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// What requests look like, and what their answers mean (NativeScreens.md, rule 1).
@Suite struct ClientRequestTests {
  private static let identity = FCKAPIClient.Identity(userId: "user-1", deviceId: "device-1")

  private static func api(
    _ lab: ClientLab, _ change: (inout FCKConfiguration) -> Void = { _ in }
  ) -> FCKAPIClient {
    var configuration = lab.configuration()
    change(&configuration)
    return FCKAPIClient(
      configuration, transport: lab.server, system: SystemInfo(osVersion: "6.8", deviceModel: "x86_64"))
  }

  // MARK: - Headers

  private static let headers = [
    "X-API-Key": ClientLab.key, "X-Environment": "sandbox", "X-SDK-Version": "1.0.0", "X-Platform": "linux",
    "X-Device-Model": "x86_64", "X-OS-Version": "6.8", "X-App-Version": "1.0", "X-App-Build": "7",
  ]

  @Test("every request has the same headers") func everyRequestHasTheHeaders() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let api = Self.api(lab)
    _ = try await api.placement(for: Self.identity)
    try await api.complete(CompletionRequest(userId: "user-1"))
    try await api.track(EventRequest(eventType: "flow_viewed", timestamp: ClientLab.start))
    #expect(lab.server.asked.map(\.headers) == [Self.headers, Self.headers, Self.headers])
    #expect(lab.server.asked.map(\.method) == ["GET", "POST", "POST"])
    #expect(lab.server.asked.map(\.mediaType) == [nil, "application/json", "application/json"])
    #expect(lab.server.asked.map(\.path).dropFirst() == ["completion", "events"])
  }

  @Test("what cannot be a header is left out") func whatCannotBeAHeaderIsLeftOut() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let api = Self.api(lab) {
      $0.environment = .production
      $0.appVersion = "1.0\r\nX-Evil: 1"
      $0.appBuild = nil
    }
    _ = try await api.placement(for: Self.identity)
    var expected = Self.headers
    expected["X-Environment"] = "production"
    expected["X-App-Version"] = nil
    expected["X-App-Build"] = nil
    #expect(lab.server.asked.map(\.headers) == [expected])
  }

  @Test(
    "the kernel's version has two numbers",
    arguments: [
      ("6.8.0-45-generic", "6.8"), ("6.12", "6.12"), ("5.10-rc1", "5.10"), ("", "unknown"), ("6", "6"),
      ("x.y", "unknown"),
    ])
  func theKernelsVersionHasTwoNumbers(release: String, version: String) {
    #expect(SystemInfo.version(ofRelease: release) == version)
  }

  @Test("this machine has a version and an architecture") func thisMachineIsKnown() {
    #expect(SystemInfo.current.osVersion.wholeMatch(of: /\d+\.\d+/) != nil)
    #expect(HeaderText.isValue(SystemInfo.current.deviceModel))
  }

  // MARK: - The query

  @Test("the query is encoded strictly, and the properties are a JSON text") func theQueryIsEncoded() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    let properties: JSONObject = ["plan": "a&b=c +ü/\"?#%", "secret": "not declared", "tags": ["x", 1, true, nil]]
    _ = try await Self.api(lab).placement(
      "main page/ä", for: .init(userId: "user 1&x=2", deviceId: "device-1"), userProperties: properties)
    let path = try #require(lab.server.asked.first?.path)
    #expect(
      path.hasPrefix("placement/main%20page%2F%C3%A4?userId=user%201%26x%3D2&deviceId=device-1&userProperties=%7B"))
    #expect(path.utf8.allSatisfy { 0x21...0x7E ~= $0 })
    #expect(path.split(separator: "?").count == 2 && path.split(separator: "&").count == 3)
    let encoded = try #require(path.split(separator: "userProperties=").last)
    let text = try #require(String(encoded).percentDecoded)
    #expect(try JSONValue(text: text) == ["plan": "a&b=c +ü/\"?#%", "tags": ["x", 1, true, nil]])
  }

  @Test("what is not known is not in the query") func whatIsNotKnownIsLeftOut() async throws {
    let lab = try ClientLab()
    lab.server.publish(ClientLab.flow())
    _ = try await Self.api(lab).placement(for: .init(deviceId: "d"), userProperties: ["secret": "x"])
    _ = try await Self.api(lab).placement(for: .init(userId: "u"))
    #expect(lab.server.asked.map(\.path) == ["placement/main?deviceId=d", "placement/main?userId=u"])
  }

  @Test(
    "what cannot be part of an address is not asked",
    arguments: ["", ".", "..", String(repeating: "x", count: 65), String(repeating: "ä", count: 33)])
  func badPlacements(name: String) async throws {
    let lab = try ClientLab()
    #expect(await ClientLab.error { try await Self.api(lab).placement(name, for: Self.identity) } == .invalidURL)
    #expect(lab.server.asked.isEmpty)
  }

  @Test("properties of more than 4 KiB are not sent") func manyProperties() async throws {
    let lab = try ClientLab()
    let properties: JSONObject = ["plan": .string(String(repeating: "x", count: 4_096))]
    let error = await ClientLab.error {
      try await Self.api(lab).placement(for: Self.identity, userProperties: properties)
    }
    #expect(error == .invalidURL && lab.server.asked.isEmpty)
  }

  @Test(
    "only an address with https is asked",
    arguments: [
      "http://onboarding.example.org", "onboarding.example.org", "", "https://", "https://a.example/?x",
      "https://a.example/#x", "https://user:word@a.example",
    ])
  func badBases(base: String) async throws {
    let lab = try ClientLab()
    let api = Self.api(lab) { $0.baseAddress = base }
    #expect(await ClientLab.error { try await api.placement(for: Self.identity) } == .invalidURL)
    #expect(throws: Failure.self) { try api.configuration.validate() }
    #expect(lab.server.asked.isEmpty)
  }

  @Test(
    "the address of the server may have a path",
    arguments: ["https://a.example/x", "https://a.example/x/"])
  func aBaseWithAPath(base: String) throws {
    let lab = try ClientLab()
    let api = Self.api(lab) { $0.baseAddress = base }
    let address = try api.placementAddress("main", Self.identity, [:])
    #expect(address.text == "https://a.example/x/api/sdk/placement/main?userId=user-1&deviceId=device-1")
  }

  @Test("without an identifier the error is 400, and nothing is asked") func nobody() async throws {
    let lab = try ClientLab()
    let api = Self.api(lab)
    let expected = FCKAPIClient.APIError.serverError(400, "userId or deviceId is required")
    #expect(await ClientLab.error { try await api.placement(for: .init(userId: "")) } == expected)
    #expect(await ClientLab.error { try await api.complete(CompletionRequest(flowId: "f")) } == expected)
    #expect(lab.server.asked.isEmpty)
  }

  @Test("a key that cannot be a header is not sent", arguments: ["", "a b", "a\r\nX-Evil: 1", "schlüssel"])
  func badKeys(key: String) async throws {
    let lab = try ClientLab()
    let api = Self.api(lab) { $0.apiKey = key }
    let error = await ClientLab.error { try await api.placement(for: Self.identity) }
    #expect(error == .serverError(401, "Invalid API key") && lab.server.asked.isEmpty)
    #expect(throws: Failure.self) { try api.configuration.validate() }
  }

  // MARK: - Bodies

  @Test("the body of a completion is that of the sample") func theBodyOfACompletion() throws {
    let sample = try JSONValue(text: String(decoding: ClientLab.fixture("fck-completion-request"), as: UTF8.self))
    guard case .object(let responses)? = sample["responses"] else { throw Failure(.internalError, "no sample") }
    #expect(responses.count == 6)
    let request = CompletionRequest(
      userId: "user-1", deviceId: "0f8fad5b-d9cb-469f-a165-70867728950e", flowId: "flow-1", responses: responses)
    #expect(JSONValue.object(request.json).text == sample.text)
    #expect(CompletionRequest(userId: "user-1").json == ["userId": "user-1"])
  }

  @Test("the body of an event is that of the sample") func theBodyOfAnEvent() throws {
    let sample = try JSONValue(text: String(decoding: ClientLab.fixture("fck-event-request"), as: UTF8.self))
    #expect(sample["eventType"] == "screen_viewed")
    var event = EventRequest(
      eventType: "screen_viewed", timestamp: ClientLab.start, userId: "user-1",
      sessionId: "0f8fad5b-d9cb-469f-a165-70867728950e", flowId: "flow-1", screenIndex: 0, metadata: ["a": 1],
      system: SystemInfo(osVersion: "6.8", deviceModel: "x86_64"), appVersion: "1.0")
    #expect(JSONValue.object(event.json).text == sample.text)
    event = EventRequest(
      eventType: "x", timestamp: ClientLab.start, system: SystemInfo(osVersion: "6.8", deviceModel: "x86_64"))
    #expect(event.json.names == ["eventType", "timestamp", "platform", "deviceInfo"])
    #expect(event.json["deviceInfo"]?["appVersion"] == "unknown")
  }

  // MARK: - Statuses

  private static let statuses: [(Int, String, FCKAPIClient.APIError)] = [
    (401, "whatever", .serverError(401, "Invalid API key")), (404, "", .noActiveFlow), (429, "", .usageLimitExceeded),
    (500, "broken", .serverError(500, "broken")), (503, "", .serverError(503, "")),
    (400, #"{"error": "no such placement"}"#, .serverError(400, "no such placement")),
    (400, #"{"message": "m", "error": "e"}"#, .serverError(400, "m")), (400, #"{"other": 1}"#, .serverError(400, "")),
    (502, "<!DOCTYPE html><title>Bad gateway</title>", .serverError(502, "")), (204, "", .serverError(204, "")),
    (304, "", .serverError(304, "")), (500, "a\u{1B}[31m\nb\u{202E}", .serverError(500, "a [31m b")),
    (500, String(repeating: "x", count: 5_000), .serverError(500, String(repeating: "x", count: 200))),
    (200, "", .noData), (200, #"{"message": "No active campaign for this placement"}"#, .noActiveFlow),
    (200, "<html></html>", .decodingError("The text is not JSON (at byte 0).")),
    (200, "[]", .decodingError("The document is not a JSON object.")),
    (200, "{}", .decodingError("It has neither a flow nor a message.")),
  ]

  @Test("a status has its error", arguments: statuses)
  func aStatusHasItsError(status: Int, body: String, expected: FCKAPIClient.APIError) async throws {
    let lab = try ClientLab()
    lab.server.onPlacement { _ in HTTPResponse(status: status, body: Array(body.utf8)) }
    let error = await ClientLab.error { try await Self.api(lab).placement(for: Self.identity) }
    #expect(error == expected)
    let failure = try #require(error?.failure)
    #expect(failure.cause.hasSuffix(".") && failure.remedy != nil)
  }

  private static let httpErrors: [(HTTPError, FCKAPIClient.APIError)] = [
    (.timeLimit(.seconds(10)), .networkError(.timeLimit(.seconds(10)))),
    (.unreachable(host: "a.example"), .networkError(.unreachable(host: "a.example"))),
    (.tooLarge(limit: 1), .networkError(.tooLarge(limit: 1))), (.offline, .networkError(.offline)),
    (.redirect(.refused(to: nil)), .networkError(.redirect(.refused(to: nil)))), (.invalidAddress, .invalidURL),
  ]

  @Test("without a response the error is that of the network", arguments: httpErrors)
  func noResponse(cause: HTTPError, expected: FCKAPIClient.APIError) async throws {
    let lab = try ClientLab()
    lab.server.onPlacement { _ in throw cause }
    let error = await ClientLab.error { try await Self.api(lab).placement(for: Self.identity) }
    #expect(error == expected)
    #expect(error?.failure.remedy != nil)
  }

  @Test("a cancelled request is cancelled") func cancellation() async throws {
    let lab = try ClientLab()
    lab.server.onPlacement { _ in
      try await untilCancelled()
      return HTTPResponse(status: 200)
    }
    let api = Self.api(lab)
    let task = Task { try await api.placement(for: Self.identity) }
    await ClientLab.until("The request was not sent.") { lab.server.placementCount == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a completion needs the status 200, an event any of success", arguments: [200, 201, 204])
  func success(status: Int) async throws {
    let lab = try ClientLab()
    lab.server.onCompletion { _ in HTTPResponse(status: status) }
    lab.server.onEvents { _ in HTTPResponse(status: status) }
    let api = Self.api(lab)
    try await api.track(EventRequest(eventType: "x", timestamp: ClientLab.start))
    if status == 200 {
      try await api.complete(CompletionRequest(userId: "u"))
    } else {
      let error = await ClientLab.error { try await api.complete(CompletionRequest(userId: "u")) }
      #expect(error == .serverError(status, ""))
    }
  }

  // MARK: - Secrets

  @Test(
    "a server that repeats what it was asked has no text",
    arguments: [ClientLab.key, "user-1", "device-1", "gold & silver", "deep", "4711"])
  func errorsRepeatNothing(secret: String) async throws {
    let lab = try ClientLab()
    lab.server.onPlacement { _ in HTTPResponse(status: 400, body: Array("bad: \(secret)!".utf8)) }
    let properties: JSONObject = ["plan": "gold & silver", "tags": [["x": "deep"], 4_711]]
    let error = await ClientLab.error {
      try await Self.api(lab).placement(for: Self.identity, userProperties: properties)
    }
    #expect(error == .serverError(400, ""))
  }

  @Test("an error of a completion never has a text") func completionsHaveNoText() async throws {
    let lab = try ClientLab()
    lab.server.onCompletion { _ in HTTPResponse(status: 422, body: Array("name=Ada is taken".utf8)) }
    let error = await ClientLab.error {
      try await Self.api(lab).complete(CompletionRequest(userId: "u", responses: ["name": "Ada"]))
    }
    #expect(error == .serverError(422, ""))
  }

  @Test("the configuration prints without the key and the user") func theConfigurationIsRedacted() throws {
    let configuration = try ClientLab().configuration()
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), dumped] {
      #expect(!text.contains(ClientLab.key) && !text.contains("user-1") && text.contains("FCKConfiguration"))
    }
  }

  @Test("without a choice the environment is that of the build") func theEnvironmentOfTheBuild() {
    #expect(FCKConfiguration(apiKey: "k", baseAddress: "https://a.example").environment == .ofBuild)
    #expect(
      FCKConfiguration(apiKey: "k", baseAddress: "https://a.example", environment: .production).environment
        == .production)
  }

  @Test(
    "the folder of a program stays below the user's",
    arguments: [
      ("../../etc", "etc"), ("desk", "desk"), ("", "fckonboarding"), ("a/b c", "abc"), ("..", "fckonboarding"),
    ])
  func folderNames(name: String, folder: String) {
    var configuration = FCKConfiguration(apiKey: "k", baseAddress: "https://a.example")
    configuration.appName = name
    #expect(configuration.folderName == folder)
  }
}
