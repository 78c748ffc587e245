internal import FoundationEssentials
import TesseraBridge

/// What `app-users` receives about the device and the program (Flows.md, rule 4). It has no identifier of the
/// machine: neither the machine-id nor the host name leaves it.
public struct DeviceInfo: Sendable, Equatable {
  public var appUserId = ""
  /// The program's own identifier of the user.
  public var appUserID: String?
  /// New with each start of the program.
  public var appSessionId = ""
  /// ISO 8601 with fractions of a second, like all times here.
  public var installDate = ""
  public var isFirstLaunch = true
  public var launchCount = 1
  public var lastLaunchAt: String?
  public var bundleId: String?
  public var appName: String?
  public var appVersion: String?
  public var buildNumber: String?
  public var sdkVersion = ""
  public var platform = "Linux"
  /// The version of the kernel.
  public var platformVersion = ""
  public var platformWrapper: String?
  /// The architecture, for example `x86_64`.
  public var deviceModel = ""
  public var deviceLanguageCode: String?
  /// For example `de_AT`.
  public var deviceLocale = "en_US"
  public var regionCode: String?
  public var preferredLanguages: [String] = []

  /// The locale of pages: `deviceLocale` has no script, which `preferredLanguages` may have (`sr-Latn-RS`).
  var pageLocale: String {
    let tag = preferredLanguages.first ?? ""
    return tag.split(separator: "-").dropFirst().first?.count == 4 ? tag : deviceLocale
  }
  public var deviceCurrencyCode: String?
  public var deviceCurrencySymbol: String?
  public var timezoneIdentifier = "UTC"
  public var timezoneOffsetSeconds = 0
  /// `light`, `dark` or `unspecified`.
  public var interfaceStyle = "unspecified"
  public var screenWidth = 0.0
  public var screenHeight = 0.0
  public var screenScale = 1.0
  public var totalMemoryBytes: UInt64 = 0
  public var collectedAt = ""

  public init() {}

  private static let capabilities = [
    "onboarding", "paywall_event_receiver", "multiple_paywall_urls", "haptic_feedback", "push_notifications",
    "store_review", "device_info_collection", "linux_native",
  ]

  /// The body of the request.
  public var json: JSONObject {
    func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    func number(_ number: Double) -> JSONValue { JSONNumber(number).map { .number($0) } ?? .null }
    return [
      "appUserId": .string(appUserId), "appUserID": text(appUserID), "vendorId": .null,
      "appSessionId": .string(appSessionId), "installDate": .string(installDate), "isFirstLaunch": .bool(isFirstLaunch),
      "launchCount": .integer(Int64(launchCount)), "lastLaunchAt": text(lastLaunchAt), "bundleId": text(bundleId),
      "appName": text(appName), "appVersion": text(appVersion), "buildNumber": text(buildNumber),
      "sdkVersion": .string(sdkVersion), "platform": .string(platform), "platformVersion": .string(platformVersion),
      "platformWrapper": text(platformWrapper), "deviceModel": .string(deviceModel), "deviceName": .string(platform),
      "isSimulator": false, "deviceLanguageCode": text(deviceLanguageCode), "deviceLocale": .string(deviceLocale),
      "regionCode": text(regionCode), "preferredLanguage": text(preferredLanguages.first),
      "preferredLanguages": .array(preferredLanguages.map { .string($0) }),
      "deviceCurrencyCode": text(deviceCurrencyCode), "deviceCurrencySymbol": text(deviceCurrencySymbol),
      "timezoneIdentifier": .string(timezoneIdentifier),
      "timezoneOffsetSeconds": .integer(Int64(timezoneOffsetSeconds)), "interfaceStyle": .string(interfaceStyle),
      "screenWidth": number(screenWidth), "screenHeight": number(screenHeight), "screenScale": number(screenScale),
      "isLowPowerMode": false, "freeStorageBytes": .null, "totalStorageBytes": .null,
      "totalMemoryBytes": .integer(Int64(clamping: totalMemoryBytes)), "isAppleSearchAdsAttribution": false,
      "appleSearchAdsToken": .null, "capabilities": .array(Self.capabilities.map { .string($0) }),
      "connectionType": .null, "collectedAt": .string(collectedAt),
    ]
  }
}

/// Points in time as ISO 8601 with milliseconds, in UTC.
enum Timestamp {
  private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  static func text(_ date: Date) -> String { date.formatted(style) }
  static func date(_ text: String) -> Date? { try? style.parse(text) }
}
