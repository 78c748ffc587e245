import TesseraBridge

/// Whether the person allows notifications of the program. Linux has no such question, so RampKit asks it, once.
package protocol NotificationConsenting: Sendable {
  /// Whether something can show notifications.
  func isPossible() async -> Bool
}

struct DesktopNotifications: NotificationConsenting {
  let bus: DesktopBus
  func isPossible() async -> Bool { await bus.hasNotifications() }
}

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
