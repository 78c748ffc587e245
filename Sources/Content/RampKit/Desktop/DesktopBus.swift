import TesseraDBus
import TesseraThreads

/// Calls on the session bus, on a thread of their own, since they block.
actor DesktopBus {
  private static let limit = Duration.seconds(3)
  private static let portal = "org.freedesktop.portal.Desktop"

  private let address: BusConnection.Address
  private nonisolated let executor = ThreadExecutor(name: "desktop")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(address: BusConnection.Address = .session) { self.address = address }

  deinit { executor.stop() }

  /// Opens an address in the program that the user chose for it (org.freedesktop.portal.OpenURI).
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

  /// Whether something shows notifications.
  func hasNotifications() -> Bool {
    do { return try BusConnection.open(address).hasNotifications(within: Self.limit) } catch { return false }
  }

  /// - Returns: whether the notification was shown.
  func notify(application: String, title: String, body: String) -> Bool {
    do {
      let notification = BusNotification(application: application, title: title, body: body)
      _ = try BusConnection.open(address).show(notification, within: Self.limit)
      return true
    } catch {
      return false
    }
  }
}
