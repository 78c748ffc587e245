import CTesseraWebKitGTK
import Glibc
import TesseraThreads

/// The service of the desktop that sandboxed programs ask (xdg-desktop-portal). Where it is installed and does not
/// answer, for example without a system bus, each process of a page waits 25 s for it, up to three times, before it
/// shows anything: it takes WebKit's sandbox for Flatpak's, and its calls start the portal and have no shorter limit
/// (WebKit 2.50, GLib 2.74, GTK 4.8).
///
/// - GLib asks for the power profile.
/// - WebKit asks for real time for its threads (`org.freedesktop.portal.Realtime`). A process that may set it itself,
///   as root may, does not ask.
/// - GTK asks for the settings of the desktop, on Wayland.
///
/// No variable turns the second question off. So this program asks the portal first, with a limit, and the pages get
/// no bus if there is no answer.
package enum DesktopPortal {
  private static let name = "org.freedesktop.portal.Desktop"
  private static let path = "/org/freedesktop/portal/desktop"
  private static let settings = "org.freedesktop.portal.Settings"
  /// Names GLib's source of the power profile (`GPowerProfileMonitor`): `portal` or `dbus`, the one outside of Flatpak.
  private static let powerProfile = "GIO_USE_POWER_PROFILE_MONITOR"
  private static let bus = "DBUS_SESSION_BUS_ADDRESS"
  /// An address where no bus is. WebKit opens the folder to the process that passes on the messages of a page, whose
  /// sandbox has this one anyway.
  private static let nowhere = "unix:path=/etc/no-session-bus,guid=\(String(repeating: "0", count: 32))"
  /// How long the portal may take to start and to answer, in seconds. One that works may need one or two.
  private static let limit = 2

  @MainActor private static var question: Task<Bool, Never>?
  /// Whether the portal answers, or pages do not ask it; nil until that is known.
  @MainActor private static var answers: Bool?
  /// Whether pages get no bus.
  @MainActor private static var isWithheld = false

  /// Lets the processes of pages ask for the power profile without the portal, unless the user has said how. In
  /// WebKit's sandbox they learn nothing then: WebKit does not draw animations less often while the desktop saves
  /// power. Called before threads start.
  package static func avoid() { setenv(powerProfile, "dbus", 0) }

  /// Whether `settle` returns at once.
  @MainActor static var isSettled: Bool { answers != nil }

  /// Asks the portal whether it answers, once in the life of this program.
  @MainActor
  package static func ask() {
    guard answers == nil, question == nil else { return }
    // Otherwise pages do not ask the portal, or get no bus from WebKit.
    guard WebSandbox.isUsed, getenv(bus) != nil else {
      answers = true
      return
    }
    question = Task { await isAnswering() }
  }

  /// Returns when a page would not wait for the portal: it has answered, or the pages that are loaded from now on get
  /// no bus. Called before the first page is loaded.
  @MainActor
  package static func settle() async {
    ask()
    guard answers == nil, let question else { return }
    let isAnswering = await question.value
    guard answers == nil else { return }
    if !isAnswering { isWithheld = withholdBus() }
    answers = isAnswering
  }

  /// What becomes of pages without an answer of the portal, for the user; nil if it answers or is not asked.
  @MainActor package static var sentence: String? {
    guard answers == false else { return nil }
    let effect = isWithheld ? "Pages do without it." : "Pages wait for it."
    return
      "xdg-desktop-portal has not answered within \(limit) s. \(effect) A kiosk needs none; on a desktop, "
      + "`systemctl --user status xdg-desktop-portal` may say why."
  }

  /// In a thread of its own, since a bus that accepts connections and does not answer would stop the window.
  private static func isAnswering() async -> Bool {
    let result = FirstResult<Bool>()
    let hasStarted = DetachedThread.start(name: "portal", waits: false) { result.settle(.success(answersQuestion())) }
    guard hasStarted else { return true }
    // The limit of the call does not hold for the connection.
    return (try? await withTimeLimit(.milliseconds(limit * 1_000 + 500)) { try await result.value }) ?? false
  }

  private static func answersQuestion() -> Bool {
    guard let connection = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { return true }
    defer { g_object_unref(gpointer(connection)) }
    var error: UnsafeMutablePointer<GError>?
    // Not Ping, which GDBus answers in a thread of its own while the portal hangs.
    let names = [g_variant_new_string(settings), g_variant_new_string("version")]
    let reply = g_dbus_connection_call_sync(
      connection, name, path, "org.freedesktop.DBus.Properties", "Get", g_variant_new_tuple(names, 2), nil,
      G_DBUS_CALL_FLAGS_NONE, gint(limit * 1_000), nil, &error)
    if let reply {
      g_variant_unref(reply)
      return true
    }
    defer { g_clear_error(&error) }
    // Also that there is no portal, or that it has failed, is an answer, which pages get as fast. The bus's own limit
    // for a start that somebody else has caused may end before ours.
    return g_error_matches(error, g_io_error_quark(), gint(G_IO_ERROR_TIMED_OUT.rawValue)) == 0
      && g_error_matches(error, g_dbus_error_quark(), gint(G_DBUS_ERROR_TIMED_OUT.rawValue)) == 0
  }

  /// Withholds the bus from pages, but neither from this program nor from those that it starts: they try the
  /// addresses one after the other. WebKit's proxy of the bus (xdg-dbus-proxy) does so, too, but WebKit opens to its
  /// sandbox only the folder of the first address. WebKit reads the variable when it starts the process of a page.
  ///
  /// - Returns: false if the bus is not in a folder, so that no sandbox hides it.
  @MainActor
  private static func withholdBus() -> Bool {
    guard let text = getenv(bus) else { return true }
    let address = String(cString: text)
    guard address.hasPrefix("unix:path=") else { return false }
    setenv(bus, "\(nowhere);\(address)", 1)
    return true
  }
}
