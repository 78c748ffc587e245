public import TesseraBridge

/// What pages know of the device and its user: `window.rampkitContext`. Values that the program does not know are left
/// out.
public struct PageContext: Sendable, Equatable {
  public struct Device: Sendable, Equatable {
    /// For example `Linux`.
    public var platform: String
    /// For example `x86_64`.
    public var model: String?
    /// For example `de_AT`.
    public var locale: String?
    public var language: String?
    public var country: String?
    public var currencyCode: String?
    public var currencySymbol: String?
    public var appVersion: String?
    public var buildNumber: String?
    public var bundleId: String?
    /// `light`, `dark` or `unspecified`.
    public var interfaceStyle: String?
    /// East of Greenwich, in seconds.
    public var timezone: Int?
    public var daysSinceInstall: Int?

    public init(platform: String) { self.platform = platform }
  }

  public struct User: Sendable, Equatable {
    public var id: String
    public var isNewUser: Bool
    /// Never on Linux.
    public var hasAppleSearchAdsAttribution = false
    public var sessionId: String?
    /// In the form of ISO 8601, with fractions of a second.
    public var installedAt: String?

    public init(id: String, isNewUser: Bool) {
      self.id = id
      self.isNewUser = isNewUser
    }
  }

  public var device: Device
  public var user: User

  public init(device: Device, user: User) {
    self.device = device
    self.user = user
  }

  /// The JSON that pages see.
  public var json: JSONValue { ["device": .object(device.members), "user": .object(user.members)] }

  /// What pages see without a context.
  static let missing: JSONValue = ["device": [:], "user": [:]]

  /// The names that templates can use.
  static let names: Set<String> = {
    let device = Device(platform: "").optionalTexts.map(\.name) + ["platform", "timezone", "daysSinceInstall"]
    let user = ["id", "isNewUser", "hasAppleSearchAdsAttribution", "sessionId", "installedAt"]
    return Set(device.map { "device.\($0)" } + user.map { "user.\($0)" })
  }()
}

extension PageContext.Device {
  fileprivate var optionalTexts: [(name: String, text: String?)] {
    [
      ("model", model), ("locale", locale), ("language", language), ("country", country),
      ("currencyCode", currencyCode), ("currencySymbol", currencySymbol), ("appVersion", appVersion),
      ("buildNumber", buildNumber), ("bundleId", bundleId), ("interfaceStyle", interfaceStyle),
    ]
  }

  fileprivate var members: JSONObject {
    var members: JSONObject = ["platform": .string(platform)]
    for (name, text) in optionalTexts { members[name] = text.map(JSONValue.string) }
    members["timezone"] = timezone.map { .integer(Int64($0)) }
    members["daysSinceInstall"] = daysSinceInstall.map { .integer(Int64($0)) }
    return members
  }
}

extension PageContext.User {
  fileprivate var members: JSONObject {
    var members: JSONObject = [
      "id": .string(id), "isNewUser": .bool(isNewUser),
      "hasAppleSearchAdsAttribution": .bool(hasAppleSearchAdsAttribution),
    ]
    members["sessionId"] = sessionId.map(JSONValue.string)
    members["installedAt"] = installedAt.map(JSONValue.string)
    return members
  }
}
