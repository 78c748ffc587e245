import BridgeVectors
import Testing

@testable import TesseraBridge

@Suite("Haptic requests")
struct HapticHandlerTests {
  @Test(
    "accepts all spellings of haptic types",
    arguments: [
      ("IMPACT_LIGHT", "impact light"), ("impact-rigid", "impact rigid"), ("impactSoft", "impact soft"),
      ("Notification.Warning", "notification warning"), ("notification", "notification success"),
      ("selectionChanged", "selection"), ("ERROR", "notification error"), ("", "impact medium"),
      ("💥", "impact medium"), ("notificationNothing", "notification success"),
      (String(repeating: "light", count: 100_000), "impact medium"),
    ])
  func synonym(_ text: String, _ expected: String) async throws {
    let provider = ScriptedHapticProvider()
    try await ask("trigger", ["type": .string(text)], provider)
    #expect(provider.calls == [expected])
  }

  @Test(
    "accepts parameters of any type; a trigger without a type is a selection",
    arguments: [
      (.null, "selection"), (.bool(true), "impact medium"), (7, "impact medium"), (.array(["light"]), "selection"),
      (.object(["type": "light"]), "selection"),
    ] as [(JSONValue, String)])
  func kinds(_ value: JSONValue, _ trigger: String) async throws {
    let provider = ScriptedHapticProvider()
    for (method, key) in [("trigger", "type"), ("impact", "style"), ("notification", "type"), ("selection", "x")] {
      #expect(try await ask(method, [key: value], provider) == .null)
    }
    #expect(provider.calls == [trigger, "impact medium", "notification success", "selection"])
  }

  @Test("rejects unknown methods, also without a provider")
  func unknown() async {
    await #expect(throws: BridgeError.self) { try await ask("vibrate", [:], nil) }
  }

  @discardableResult
  private func ask(
    _ method: String, _ parameters: JSONObject, _ provider: (any HapticProvider)?
  ) async throws -> JSONValue {
    let registry = SdkProviderRegistry()
    registry.register { $0.haptic = provider }
    let request = BridgeRequest(
      id: "1", domain: .haptic, method: method, parameters: BridgeParameters(parameters))
    return try await HapticBridgeHandler(registry: registry).handle(request) { _, _ in }
  }
}
