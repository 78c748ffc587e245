package import TesseraBridge
package import TesseraDBus
import TesseraThreads

/// A notification of the desktop for one request (Desktop Notifications Specification 1.2). It stays until it is
/// withdrawn. Errors are no errors of the request: `show` tells whether the user can see it.
package actor DesktopNotification: PresencePrompt {
  /// The interface of dunst for its own state.
  private static let dunst = "org.dunstproject.cmd0"
  /// The time limit of the first call. Services start on demand.
  private static let limit = Duration.seconds(2)
  /// The time limit of a call that changes or removes the notification. The answer of the request waits for it.
  private static let changeLimit = Duration.seconds(1)

  private let address: BusConnection.Address
  private var bus: BusConnection?
  /// The identifier of the shown notification.
  private var identifier: UInt32?
  /// Whether the server took the notification and displays none.
  private var isHeldBack = false
  private nonisolated let executor = ThreadExecutor(name: "notification")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter address: The bus of the desktop.
  package init(address: BusConnection.Address = .session) { self.address = address }

  deinit { executor.stop() }

  package func isPossible() -> Bool {
    do {
      return try connection().hasNotifications(within: Self.limit)
    } catch {
      return false
    }
  }

  package func requireVisible() throws(PresenceError) {
    guard isPossible() else { throw .noPrompt }
    let isHidden: Bool
    do {
      isHidden = try isHeldBack || isDoNotDisturbOn()
    } catch {
      throw .noPrompt
    }
    if isHidden { throw .hidden }
  }

  package func show(_ text: PresenceText, _ progress: BiometricProgress) -> Bool {
    do {
      try notify(text, progress)
      return true
    } catch {
      return false
    }
  }

  package func withdraw() {
    defer { bus = nil }
    guard let bus, let identifier else { return }
    self.identifier = nil
    do {
      let call = try methodCall(bus, "CloseNotification")
      try call.append(identifier)
      _ = try bus.call(call, within: Self.changeLimit)
    } catch {}
  }

  private func notify(_ text: PresenceText, _ progress: BiometricProgress) throws(BusError) {
    let bus = try connection()
    // What to do comes first: the reason can come from a page, and could imitate it.
    var notification = BusNotification(
      application: "Tessera", title: text.title, body: "\(progress.message)\n“\(text.reason)”")
    notification.symbol = "auth-fingerprint-symbolic"
    // Critical ones do not expire by themselves. A transient one is not kept in the list of the desktop.
    notification.hints = ["urgency": .byte(2), "transient": .boolean(true)]
    // Longer than a request: a process that was killed withdraws nothing.
    notification.lifetime = 35_000
    let limit = identifier == nil ? Self.limit : Self.changeLimit
    identifier = try bus.show(notification, replacing: identifier, within: limit)
    // A rule of the user can hide it, for example while a window fills the screen, which a page can cause.
    isHeldBack = try properties(bus, Self.dunst)["displayedLength"] == .uint32(0)
  }

  private func connection() throws(BusError) -> BusConnection {
    if let bus { return bus }
    let opened = try BusConnection.open(address)
    bus = opened
    return opened
  }

  private func isRunning(_ bus: BusConnection) throws(BusError) -> Bool {
    try bus.owner(of: BusNotification.service, within: Self.limit) != nil
  }

  /// Whether the server hides even critical notifications now.
  ///
  /// Sources: dunst 1.9 keeps them back while it is `paused`. Plasma 5.27 hides them while it is `Inhibited`, if a setting
  /// says so that the bus does not tell. GNOME Shell 43.9 (messageTray.js), xfce4-notifyd 0.7.3 and notification-daemon
  /// 3.20.0 show critical ones in every mode.
  private func isDoNotDisturbOn() throws(BusError) -> Bool {
    let bus = try connection()
    // A server that has not started yet hides nothing, and the question would start it.
    guard try isRunning(bus) else { return false }
    if try properties(bus, Self.dunst)["paused"] == .boolean(true) { return true }
    return try properties(bus, BusNotification.service)["Inhibited"] == .boolean(true)
  }

  /// The properties of the server; empty if it has none.
  private func properties(_ bus: BusConnection, _ interface: String) throws(BusError) -> [String: BusValue] {
    let call = try methodCall(bus, "GetAll", of: "org.freedesktop.DBus.Properties")
    try call.append(interface)
    do throws(BusError) {
      return try bus.call(call, within: Self.changeLimit).readVariantDictionary()
    } catch {
      switch error {
      case .remote, .malformed: return [:]
      default: throw error
      }
    }
  }

  private func methodCall(
    _ bus: BusConnection, _ method: String, of interface: String = BusNotification.service
  ) throws(BusError) -> BusMessage {
    try bus.methodCall(to: BusNotification.service, path: BusNotification.path, interface: interface, method: method)
  }
}
