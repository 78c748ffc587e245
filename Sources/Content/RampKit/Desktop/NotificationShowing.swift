/// What shows notifications. Linux does not ask the user whether a program may, so RampKit does, once.
package protocol NotificationShowing: Sendable {
  /// Whether something can show notifications.
  func isPossible() async -> Bool
  /// - Returns: whether the notification was shown.
  func show(application: String, title: String, body: String) async -> Bool
}

struct DesktopNotifications: NotificationShowing {
  let bus: DesktopBus

  func isPossible() async -> Bool { await bus.hasNotifications() }

  func show(application: String, title: String, body: String) async -> Bool {
    await bus.notify(application: application, title: title, body: body)
  }
}
