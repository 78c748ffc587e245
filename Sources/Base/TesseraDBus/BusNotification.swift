import TesseraCore

/// A notification of a desktop (Desktop Notifications Specification 1.2).
package struct BusNotification: Sendable {
  package static let service = "org.freedesktop.Notifications"
  package static let path = "/org/freedesktop/Notifications"

  package var application: String
  package var title: String
  /// Plain text.
  package var body: String
  /// The name of a symbol; empty for none.
  package var symbol = ""
  package var hints: [String: BusValue] = [:]
  /// After how many milliseconds it disappears; nil if the desktop decides.
  package var lifetime: Int32?

  package init(application: String, title: String, body: String) {
    self.application = application
    self.title = title
    self.body = body
  }
}

extension BusConnection {
  /// Whether something shows notifications, or starts for the first one. Blocks.
  package func hasNotifications(within limit: Duration) throws(BusError) -> Bool {
    if try owner(of: BusNotification.service, within: limit) != nil { return true }
    return try isActivatable(BusNotification.service, within: limit)
  }

  /// Shows a notification. Blocks.
  ///
  /// - Parameter shown: the identifier of the one that it replaces.
  /// - Returns: its identifier.
  package func show(
    _ notification: BusNotification, replacing shown: UInt32? = nil, within limit: Duration
  ) throws(BusError) -> UInt32 {
    let call = try methodCall(
      to: BusNotification.service, path: BusNotification.path, interface: BusNotification.service, method: "Notify")
    try call.append(notification.application)
    try call.append(shown ?? 0)
    try call.append(notification.symbol)
    try call.append(notification.title)
    // A body may have markup, so that whoever its text comes from could write links into it.
    try call.append(notification.body.escapedMarkup(quotes: false))
    try call.append(strings: [])
    try call.append(notification.hints)
    try call.append(notification.lifetime ?? -1)
    return try self.call(call, within: limit).readUInt32()
  }
}
