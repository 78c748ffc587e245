import CTesseraWebKitGTK
import FoundationEssentials
import TesseraBridge

/// The desktop's light or dark theme, the size of its texts, and the user's language. Pages see the theme by
/// `prefers-color-scheme` and the language by `navigator.language`; all three come as the event `lifecycle.system`.
///
/// GTK itself does not ask the desktop for the theme, so this type does, by the settings portal
/// (`org.freedesktop.portal.Settings`).
@MainActor
package final class SystemAppearance {
  package var onChange: (@MainActor () -> Void)?
  package private(set) var isDark: Bool
  private var connection: OpaquePointer?
  private var subscription: guint = 0
  private let signals = Signals()
  private let settings = gtk_settings_get_default()

  private static let portal = "org.freedesktop.portal.Desktop"
  private static let path = "/org/freedesktop/portal/desktop"
  private static let interface = "org.freedesktop.portal.Settings"
  private static let group = "org.freedesktop.appearance"
  private static let key = "color-scheme"

  package init() { isDark = SystemAppearance.themeIsDark }

  /// `{theme, locale, textScale}`: `light` or `dark`, a language tag (BCP 47), and 1 for the normal size.
  var event: BridgeMessage {
    .event(
      domain: .lifecycle, name: "system",
      data: [
        "theme": .string(isDark ? "dark" : "light"), "locale": .string(Self.locale),
        "textScale": JSONNumber(Self.textScale).map(JSONValue.number) ?? 1,
      ])
  }

  /// Asks for the theme, and follows its changes and those of the size of texts.
  package func follow() {
    if let settings { signals.on(gpointer(settings), "notify::gtk-xft-dpi", self) { $0.onChange?() } }
    var error: UnsafeMutablePointer<GError>?
    // Synchronous, but on a local socket, and without a session bus it returns at once.
    connection = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, &error)
    g_clear_error(&error)
    guard let connection else { return }
    subscription = g_dbus_connection_signal_subscribe(
      connection, Self.portal, Self.interface, "SettingChanged", Self.path, Self.group,
      G_DBUS_SIGNAL_FLAGS_NONE,
      { _, _, _, _, _, parameters, owner in
        guard let parameters, let owner else { return }
        MainActor.assumeIsolated {
          Unmanaged<SystemAppearance>.fromOpaque(owner).takeUnretainedValue().changed(parameters)
        }
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
    let arguments = [g_variant_new_string(Self.group), g_variant_new_string(Self.key)]
    let parameters = arguments.withUnsafeBufferPointer {
      g_variant_new_tuple(UnsafePointer($0.baseAddress), gsize($0.count))
    }
    g_dbus_connection_call(
      connection, Self.portal, Self.path, Self.interface, "Read", parameters, nil,
      G_DBUS_CALL_FLAGS_NO_AUTO_START, 1_000, nil,
      { source, result, owner in
        guard let owner else { return }
        let appearance = Unmanaged<SystemAppearance>.fromOpaque(owner).takeRetainedValue()
        var error: UnsafeMutablePointer<GError>?
        let reply = g_dbus_connection_call_finish(source.map { OpaquePointer($0) }, result, &error)
        g_clear_error(&error)
        guard let reply else { return }
        MainActor.assumeIsolated { appearance.apply(SystemAppearance.scheme(g_variant_get_child_value(reply, 0))) }
        g_variant_unref(reply)
      }, Unmanaged.passRetained(self).toOpaque())
  }

  package func stop() {
    onChange = nil
    signals.disconnectAll()
    guard let connection else { return }
    g_dbus_connection_signal_unsubscribe(connection, subscription)
    g_object_unref(gpointer(connection))
    self.connection = nil
  }

  /// `SettingChanged(namespace, key, value)`.
  private func changed(_ parameters: OpaquePointer) {
    let key = g_variant_get_child_value(parameters, 1)
    defer { g_variant_unref(key) }
    guard g_variant_is_of_type(key, Self.type("s")) != 0, String(cString: g_variant_get_string(key, nil)) == Self.key
    else { return }
    apply(Self.scheme(g_variant_get_child_value(parameters, 2)))
  }

  /// The number in nested variants; consumes the variant. 1 means dark, 2 light, 0 no preference.
  private nonisolated static func scheme(_ variant: OpaquePointer?) -> UInt32? {
    var variant = variant
    while let outer = variant, g_variant_is_of_type(outer, type("v")) != 0 {
      variant = g_variant_get_variant(outer)
      g_variant_unref(outer)
    }
    defer { if let variant { g_variant_unref(variant) } }
    guard let variant, g_variant_is_of_type(variant, type("u")) != 0 else { return nil }
    return g_variant_get_uint32(variant)
  }

  private nonisolated static func type(_ text: StaticString) -> OpaquePointer {
    OpaquePointer(UnsafeRawPointer(text.utf8Start))
  }

  private func apply(_ scheme: UInt32?) {
    guard let scheme else { return }
    let dark = scheme == 1 || (scheme == 0 && Self.themeIsDark)
    guard dark != isDark else { return }
    isDark = dark
    var value = GValue()
    g_value_init(&value, GType(5 << 2))  // G_TYPE_BOOLEAN, a macro that Swift does not import
    g_value_set_boolean(&value, dark ? 1 : 0)
    g_object_set_property(
      UnsafeMutableRawPointer(settings)?.assumingMemoryBound(to: GObject.self), "gtk-application-prefer-dark-theme",
      &value)
    g_value_unset(&value)
    onChange?()
  }

  private static var themeIsDark: Bool {
    if let theme = ProcessInfo.processInfo.environment["GTK_THEME"] { return theme.hasSuffix(":dark") }
    return false
  }

  /// The factor by which the desktop enlarges texts, which GTK expresses in dots per inch times 1024.
  private static var textScale: Double {
    var value = GValue()
    g_value_init(&value, GType(6 << 2))  // G_TYPE_INT
    defer { g_value_unset(&value) }
    guard let settings = gtk_settings_get_default() else { return 1 }
    g_object_get_property(
      UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-xft-dpi", &value)
    let dots = g_value_get_int(&value)
    return dots > 0 ? Double(dots) / 1024 / 96 : 1
  }

  /// The language of the environment (locale(7)) as a language tag.
  private static var locale: String {
    let environment = ProcessInfo.processInfo.environment
    let name =
      ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "en"
    let tag = String(name.prefix { $0 != "." && $0 != "@" }).replacing("_", with: "-")
    return ["C", "POSIX"].contains(tag) ? "en" : tag
  }
}
