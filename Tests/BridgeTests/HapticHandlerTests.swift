import Synchronization
import Testing

@testable import Bridge

/// Writes down what it is asked for; what rumbles is tested in the lab.
final class ScriptedHapticProvider: HapticProvider {
  private let isThere: Bool
  private let recorded = Mutex<[String]>([])

  init(isThere: Bool = true) { self.isThere = isThere }

  var calls: [String] { recorded.withLock { $0 } }

  func isAvailable() async -> Bool { isThere }
  func impact(_ style: HapticImpactStyle) async { recorded.withLock { $0.append("impact \(style.rawValue)") } }
  func notification(_ type: HapticNotificationType) async {
    recorded.withLock { $0.append("notification \(type.rawValue)") }
  }
  func selection() async { recorded.withLock { $0.append("selection") } }
}

@Suite("The haptic domain understands whatever content sends")
struct HapticHandlerTests {
  /// What each vector asks of the provider; nothing for the others.
  static let calls = [
    "haptic.trigger.light": "impact light", "haptic.trigger.medium": "impact medium",
    "haptic.trigger.heavy": "impact heavy", "haptic.trigger.success": "notification success",
    "haptic.trigger.warning": "notification warning", "haptic.trigger.error": "notification error",
    "haptic.trigger.selection": "selection", "haptic.trigger.impact": "impact medium",
    "haptic.trigger.impactLight": "impact light", "haptic.trigger.impactMedium": "impact medium",
    "haptic.trigger.impactHeavy": "impact heavy", "haptic.trigger.notificationSuccess": "notification success",
    "haptic.trigger.notificationWarning": "notification warning",
    "haptic.trigger.notificationError": "notification error", "haptic.trigger.soft": "impact soft",
    "haptic.trigger.rigid": "impact rigid", "haptic.trigger.somethingElse": "impact medium",
    "haptic.trigger.default": "impact medium", "haptic.impact.light": "impact light",
    "haptic.impact.medium": "impact medium", "haptic.impact.heavy": "impact heavy",
    "haptic.impact.default": "impact medium", "haptic.notification.success": "notification success",
    "haptic.notification.warning": "notification warning", "haptic.notification.error": "notification error",
    "haptic.notification.default": "notification success", "haptic.selection": "selection",
  ]

  @Test(
    "synonyms",
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
    "parameters of any kind are no error",
    arguments: [.null, .bool(true), 7, .array(["light"]), .object(["type": "light"])] as [JSONValue])
  func kinds(_ value: JSONValue) async throws {
    let provider = ScriptedHapticProvider()
    for (method, key) in [("trigger", "type"), ("impact", "style"), ("notification", "type"), ("selection", "x")] {
      #expect(try await ask(method, [key: value], provider) == .null)
    }
    #expect(provider.calls == ["impact medium", "impact medium", "notification success", "selection"])
  }

  @Test("an unknown method is not found, also without a provider")
  func unknown() async {
    await #expect(throws: BridgeError.self) { try await ask("vibrate", [:], nil) }
  }

  @discardableResult
  private func ask(
    _ method: String, _ parameters: [String: JSONValue], _ provider: (any HapticProvider)?
  ) async throws -> JSONValue {
    let registry = SdkProviderRegistry()
    registry.register { $0.haptic = provider }
    let request = BridgeRequest(
      id: "1", domain: .haptic, method: method, parameters: BridgeParameters(parameters))
    return try await HapticBridgeHandler(registry: registry).handle(request) { _, _ in }
  }
}
