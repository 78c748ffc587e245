public import TesseraJSON

/// Something that happened in a flow, for the owner of the flow (Flows.md, rule 5). Nothing is sent unless the
/// program names an address.
public struct FlowEvent: Sendable, Equatable {
  public var name: String
  public var properties: JSONObject
  /// Whether the event is one of the known ones. These carry the target, the bucket and the version, too.
  public var isKnown: Bool
  /// The label of the screen, or its id.
  public var screenName: String?

  public init(_ name: String, _ properties: JSONObject = [:], screenName: String? = nil, isKnown: Bool = true) {
    self.name = name
    self.properties = properties
    self.screenName = screenName
    self.isKnown = isKnown
  }

  /// The names of the known events.
  public static let knownNames: Set<String> = [
    "app_session_started", "target_matched", "onboarding_started", "onboarding_completed", "onboarding_abandoned",
    "option_selected", "cta_tap", "screen_navigated", "variable_set", "notifications_response", "tracking_response",
    "paywall_shown", "purchase_started", "purchase_completed", "purchase_failed", "purchase_restored",
  ]

  /// The name of a value's type in the event `variable_set`.
  static func typeName(_ value: JSONValue) -> String {
    switch value {
    case .string: "string"
    case .integer, .number: "number"
    case .bool: "boolean"
    case .array: "array"
    case .object: "object"
    case .null: "unknown"
    }
  }
}
