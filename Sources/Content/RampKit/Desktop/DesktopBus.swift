import Glibc
import TesseraBridge
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

/// Opens addresses outside of the flow.
package protocol LinkOpening: Sendable {
  /// - Returns: whether a program took the address.
  func open(_ address: String) async -> Bool
}

/// The programs that the user chose, by the portal of the desktop; without a portal, by `xdg-open`.
struct DesktopLinks: LinkOpening {
  private static let program = "/usr/bin/xdg-open"

  let bus: DesktopBus

  func open(_ address: String) async -> Bool {
    if await bus.open(address) { return true }
    guard access(Self.program, X_OK) == 0, let child = ChildProcess(Self.program, arguments: [address]) else {
      return false
    }
    // `xdg-open` ends when it has started a program.
    return (try? await BlockingWork(name: "xdg-open").run { child.waitUntilExit() == 0 }) ?? false
  }
}

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
