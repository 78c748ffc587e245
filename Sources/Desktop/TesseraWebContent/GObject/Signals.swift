import CTesseraWebKitGTK

/// The signal handlers of one owner, which are disconnected together. GObject keeps no reference to the owner.
@MainActor
package final class Signals {
  private var connections: [(object: gpointer, handler: gulong)] = []

  package init() {}

  /// - Parameters:
  ///   - object: the source of the signal, which must outlive the connection.
  ///   - callback: a `@convention(c)` function with the signal's parameters, of which the last is a pointer to
  ///     `owner`; see `Signals.owner(_:)`.
  package func connect<Callback>(_ object: gpointer, _ signal: String, to owner: AnyObject, _ callback: Callback) {
    let handler = g_signal_connect_data(
      object, signal, unsafeBitCast(callback, to: GCallback.self), Unmanaged.passUnretained(owner).toOpaque(), nil,
      GConnectFlags(rawValue: 0))
    connections.append((object, handler))
  }

  package func disconnectAll() {
    for connection in connections { g_signal_handler_disconnect(connection.object, connection.handler) }
    connections = []
  }

  /// The owner that a callback received as its last parameter. It is alive: its signals are disconnected before it is
  /// released.
  package nonisolated static func owner<Owner: AnyObject>(
    _ pointer: gpointer?, as type: Owner.Type = Owner.self
  ) -> Owner? {
    pointer.map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The same object with the type of a base class or of a derived class. The caller knows that the object has it.
package func object<From, To>(
  _ pointer: UnsafeMutablePointer<From>, as type: To.Type = To.self
) -> UnsafeMutablePointer<To> {
  UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: To.self)
}

package func object<To>(_ pointer: OpaquePointer, as type: To.Type = To.self) -> UnsafeMutablePointer<To> {
  UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: To.self)
}

/// The text of a C string that the caller must free.
package func takenText(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
  guard let pointer else { return nil }
  defer { g_free(pointer) }
  return String(cString: pointer)
}

extension Bool {
  package var gboolean: CTesseraWebKitGTK.gboolean { self ? 1 : 0 }
}
