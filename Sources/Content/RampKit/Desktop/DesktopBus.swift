import TesseraDBus
import TesseraThreads

/// Calls on the session bus, on a thread of their own, since they block.
actor DesktopBus {
  private static let limit = Duration.seconds(3)
  private static let portal = "org.freedesktop.portal.Desktop"
  private static let notifications = "org.freedesktop.Notifications"

  private let address: BusConnection.Address
  private nonisolated let executor = ThreadExecutor(name: "desktop")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(address: BusConnection.Address = .session) { self.address = address }

  deinit { executor.stop() }

  /// Opens an address in the program that the person chose for it (org.freedesktop.portal.OpenURI).
  ///
  /// - Returns: whether the portal took the address.
  func open(_ address: String) -> Bool {
    do {
      let bus = try BusConnection.open(self.address)
      let call = try bus.methodCall(
        to: Self.portal, path: "/org/freedesktop/portal/desktop", interface: "org.freedesktop.portal.OpenURI",
        method: "OpenURI")
      try call.append("")
      try call.append(address)
      try call.append([:] as [String: BusValue])
      _ = try bus.call(call, within: Self.limit)
      return true
    } catch {
      return false
    }
  }

  /// Whether something shows notifications (Desktop Notifications Specification 1.2).
  func hasNotifications() -> Bool {
    do {
      let bus = try BusConnection.open(address)
      return try bus.owner(of: Self.notifications, within: Self.limit) != nil
        || bus.isActivatable(Self.notifications, within: Self.limit)
    } catch {
      return false
    }
  }

  /// Shows a notification.
  ///
  /// - Returns: whether it was shown.
  func notify(application: String, title: String, body: String) -> Bool {
    do {
      let bus = try BusConnection.open(address)
      let call = try bus.methodCall(
        to: Self.notifications, path: "/org/freedesktop/Notifications", interface: Self.notifications, method: "Notify")
      try call.append(application)
      try call.append(UInt32(0))
      try call.append("")
      try call.append(title)
      // The body may have markup.
      try call.append(
        body.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;"))
      try call.append(strings: [])
      try call.append([:] as [String: BusValue])
      try call.append(Int32(-1))
      _ = try bus.call(call, within: Self.limit)
      return true
    } catch {
      return false
    }
  }
}
