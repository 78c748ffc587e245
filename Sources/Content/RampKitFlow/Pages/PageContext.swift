package import TesseraJSON

/// What pages know of the device and its user: `window.rampkitContext`. Values that the program does not know are left
/// out.
package struct PageContext: Sendable, Equatable {
  package struct Device: Sendable, Equatable {
    /// For example `Linux`.
    package var platform: String
    /// For example `x86_64`.
    package var model: String?
    /// For example `de_AT`.
    package var locale: String?
    package var language: String?
    package var country: String?
    package var currencyCode: String?
    package var currencySymbol: String?
    package var appVersion: String?
    package var buildNumber: String?
    package var bundleId: String?
    /// `light`, `dark` or `unspecified`.
    package var interfaceStyle: String?
    /// East of Greenwich, in seconds.
    package var timezone: Int?
    package var daysSinceInstall: Int?

    package init(platform: String) { self.platform = platform }
  }

  package struct User: Sendable, Equatable {
    package var id: String
    package var isNewUser: Bool
    /// Never on Linux.
    package var hasAppleSearchAdsAttribution = false
    package var sessionId: String?
    /// In the form of ISO 8601, with fractions of a second.
    package var installedAt: String?

    package init(id: String, isNewUser: Bool) {
      self.id = id
      self.isNewUser = isNewUser
    }
  }

  package var device: Device
  package var user: User

  package init(device: Device, user: User) {
    self.device = device
    self.user = user
  }

  /// The JSON that pages see.
  package var json: JSONValue { ["device": .object(device.members), "user": .object(user.members)] }

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
