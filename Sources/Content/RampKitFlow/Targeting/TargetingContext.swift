internal import TesseraJSON

/// What is known of the user and the device when a flow is chosen. The defaults are those of the original for what is
/// unknown.
public struct TargetingContext: Sendable, Equatable {
  public var isNewUser = true
  public var daysSinceInstall: Int64 = 0
  public var subscriptionStatus: String?
  public var platform = "Linux"
  public var model: String?
  public var osVersion: String?
  /// `light`, `dark` or `unspecified`.
  public var interfaceStyle: String?
  public var country = "US"
  public var language = "en"
  public var locale = "en_US"
  public var currencyCode = "USD"
  public var appVersion = "1.0.0"
  public var buildNumber = "1"
  public var sdkVersion: String?

  public init() {}

  /// The value of an attribute such as `device.language`; nil if it is unknown or has no value.
  func value(_ attribute: String) -> JSONValue? {
    func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
    return switch attribute {
    case "user.isNewUser": .bool(isNewUser)
    case "user.daysSinceInstall": .integer(daysSinceInstall)
    case "user.subscriptionStatus": text(subscriptionStatus)
    // Nothing on Linux attributes an installation to an advertisement.
    case "user.hasAppleSearchAdsAttribution": .bool(false)
    case "device.platform": .string(platform)
    case "device.model": text(model)
    case "device.osVersion": text(osVersion)
    case "device.interfaceStyle": text(interfaceStyle)
    case "device.country": .string(country)
    case "device.language": .string(language)
    case "device.locale": .string(locale)
    case "device.currencyCode": .string(currencyCode)
    case "app.version": .string(appVersion)
    case "app.buildNumber": .string(buildNumber)
    case "app.sdkVersion": text(sdkVersion)
    default: nil
    }
  }
}

extension FlowManifest.Rule {
  /// Whether the rule holds. A rule about an unknown attribute or with an unknown operator does not.
  public func holds(in context: TargetingContext) -> Bool {
    guard let actual = context.value(attribute) else { return false }
    let text =
      switch actual {
      case .string(let text): text
      case .bool(let flag): flag ? "true" : "false"
      default: actual.text
      }
    switch `operator` {
    case "equals": return text.hasBytes(of: value)
    case "not_equals": return !text.hasBytes(of: value)
    case "contains": return value.isEmpty || text.lowercased().contains(value.lowercased())
    case "starts_with": return text.lowercased().hasPrefix(value.lowercased())
    case "greater_than": return Self.numbers(actual, value).map { $0 > $1 } ?? false
    case "less_than": return Self.numbers(actual, value).map { $0 < $1 } ?? false
    case "is_true": return actual == .bool(true)
    case "is_false": return actual == .bool(false)
    default: return false
    }
  }

  /// Both as numbers, if the actual value is one.
  private static func numbers(_ actual: JSONValue, _ value: String) -> (Double, Double)? {
    guard let actual = actual.doubleValue, let value = Double(value) else { return nil }
    return (actual, value)
  }
}
