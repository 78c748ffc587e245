import TesseraBridge

/// The result that pages receive as the variable `notificationsPermission`.
enum NotificationPermission: String {
  case granted, denied
  /// Nothing shows notifications here.
  case unavailable
  /// The question was closed without an answer.
  case undetermined

  static let variable = "notificationsPermission"

  var json: JSONValue {
    [
      "granted": .bool(self == .granted), "status": .string(rawValue),
      "canAskAgain": .bool(self == .undetermined || self == .unavailable),
    ]
  }
}
