import CTesseraWebKitGTK
import Glibc
import TesseraThreads

/// The service of the desktop that sandboxed programs ask (xdg-desktop-portal). Where it is installed and cannot start, for
/// example without a system bus, the processes of pages wait for it for 25 s before a page is shown: WebKit (2.50) asks
/// GLib for the power profile, GLib takes the sandbox of WebKit for Flatpak's, and the bus waits that long for a service.
/// This program itself asks the portal only if it runs.
package enum DesktopPortal {
  private static let name = "org.freedesktop.portal.Desktop"
  /// Names GLib's source of the power profile (`GPowerProfileMonitor`): `portal` or `dbus`, the one outside of Flatpak.
  private static let variable = "GIO_USE_POWER_PROFILE_MONITOR"
  /// The bus itself answers at once.
  private static let limit: gint = 300

  /// Lets the processes of pages ask for the power profile without the portal, unless the user has said how. GTK may still
  /// ask it for the colours of the desktop, and wait. In WebKit's
  /// sandbox they learn nothing then: WebKit does not draw animations less often while the desktop saves power. Called
  /// before threads start.
  package static func avoid() { setenv(variable, "dbus", 0) }

  /// Why a page does not come; nil if the portal is not the reason. In a thread of its own, since a bus that accepts
  /// connections and does not answer would stop the window.
  static func waitingSentence() async -> String? {
    let result = FirstResult<Bool>()
    let hasStarted = DetachedThread.start(name: "portal", waits: false) {
      result.settle(.success(isInstalled && !isRunning))
    }
    guard hasStarted, (try? await result.value) ?? false else { return nil }
    return "The page waits for xdg-desktop-portal, which is installed and does not run. A kiosk needs none: remove it."
  }

  private static var isRunning: Bool {
    guard let name = g_variant_new_string(name), let reply = ask("NameHasOwner", [name]) else { return false }
    defer { g_variant_unref(reply) }
    guard let value = g_variant_get_child_value(reply, 0) else { return false }
    defer { g_variant_unref(value) }
    return g_variant_get_boolean(value) != 0
  }

  private static var isInstalled: Bool {
    guard let reply = ask("ListActivatableNames", []) else { return false }
    defer { g_variant_unref(reply) }
    guard let names = g_variant_get_child_value(reply, 0) else { return false }
    defer { g_variant_unref(names) }
    for index in 0..<g_variant_n_children(names) {
      guard let name = g_variant_get_child_value(names, index) else { continue }
      defer { g_variant_unref(name) }
      if String(cString: g_variant_get_string(name, nil)) == Self.name { return true }
    }
    return false
  }

  /// Asks the bus of the session.
  ///
  /// - Returns: nil without one.
  private static func ask(_ method: String, _ arguments: [OpaquePointer?]) -> OpaquePointer? {
    guard let connection = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { return nil }
    defer { g_object_unref(gpointer(connection)) }
    let parameters =
      arguments.isEmpty
      ? nil : arguments.withUnsafeBufferPointer { g_variant_new_tuple($0.baseAddress, gsize($0.count)) }
    return g_dbus_connection_call_sync(
      connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, parameters, nil,
      G_DBUS_CALL_FLAGS_NO_AUTO_START, limit, nil, nil)
  }
}
