package import TesseraBridge
package import TesseraDBus
import TesseraThreads

/// A notification of the desktop for one request (Desktop Notifications Specification 1.2). It stays until it is
/// withdrawn. Errors are no errors of the request: `show` tells whether the person can see it.
package actor DesktopNotification: PresencePrompt {
  private static let service = "org.freedesktop.Notifications"
  /// The time limit of the first call. Services start on demand.
  private static let limit = Duration.seconds(2)
  /// The time limit of a call that changes or removes the notification. The answer of the request waits for it.
  private static let changeLimit = Duration.seconds(1)

  private let address: BusConnection.Address
  private var bus: BusConnection?
  /// The identifier of the shown notification.
  private var identifier: UInt32?
  private nonisolated let executor = ThreadExecutor(name: "notification")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter address: The bus of the desktop.
  package init(address: BusConnection.Address = .session) { self.address = address }

  deinit { executor.stop() }

  package func isPossible() -> Bool {
    do {
      let bus = try BusConnection.open(address)
      return try bus.owner(of: Self.service, within: Self.limit) != nil
        || bus.isActivatable(Self.service, within: Self.limit)
    } catch {
      return false
    }
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
    let bus: BusConnection
    if let open = self.bus { bus = open } else { bus = try BusConnection.open(address) }
    self.bus = bus
    let call = try methodCall(bus, "Notify")
    try call.append("Tessera")
    try call.append(identifier ?? 0)
    try call.append("auth-fingerprint-symbolic")
    try call.append(text.title)
    // What to do comes first: the reason can come from a page, and could imitate it.
    try call.append("\(Self.plain(progress.message))\n“\(Self.plain(text.reason))”")
    try call.append(strings: [])
    // Critical ones do not expire by themselves. A transient one is not kept in the list of the desktop.
    try call.append(["urgency": .byte(2), "transient": .boolean(true)])
    // In milliseconds, longer than a request: a process that was killed withdraws nothing.
    try call.append(Int32(35_000))
    identifier = try bus.call(call, within: identifier == nil ? Self.limit : Self.changeLimit).readUInt32()
  }

  private func methodCall(_ bus: BusConnection, _ method: String) throws(BusError) -> BusMessage {
    try bus.methodCall(
      to: Self.service, path: "/org/freedesktop/Notifications", interface: Self.service, method: method)
  }

  /// The body of a notification may have markup, so that a page could write links into it.
  private static func plain(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
