import CTesseraWebKitGTK

/// The signal handlers of one owner, which are disconnected together. GObject keeps no reference to the owner.
@MainActor
package final class Signals {
  private var connections: [(object: gpointer, handler: gulong)] = []

  package init() {}

  /// Calls the function at each emission of a signal.
  ///
  ///     signals.on(gpointer(button), "clicked", self) { $0.press() }
  ///     signals.on(gpointer(view), "load-changed", self, WebKitLoadEvent.self) { $0.loadChanged($1) }
  ///
  /// - Parameters:
  ///   - object: the source of the signal, which must outlive the connection.
  ///   - owner: the first argument of the function, which must not capture it. When it is gone, nothing is called.
  ///   - arguments: the types of the signal's parameters behind its source. The last ones can be left out.
  package func on<Owner: AnyObject, each Argument: SignalArgument>(
    _ object: gpointer, _ signal: String, _ owner: Owner, _ arguments: repeat (each Argument).Type,
    body: @escaping @MainActor (Owner, repeat each Argument) -> Void
  ) {
    connect(object, signal) { [weak owner] emission, _ in
      guard let owner else { return }
      var emission = emission
      body(owner, repeat emission.next((each Argument).self))
    }
  }

  /// The same for a signal that has an answer. When the owner is gone, it is false, or nothing.
  package func answer<Owner: AnyObject, each Argument: SignalArgument, Answer: SignalAnswer>(
    _ object: gpointer, _ signal: String, _ owner: Owner, _ arguments: repeat (each Argument).Type,
    body: @escaping @MainActor (Owner, repeat each Argument) -> Answer
  ) {
    connect(object, signal) { [weak owner] emission, answer in
      guard let owner, let answer else { return }
      var emission = emission
      body(owner, repeat emission.next((each Argument).self)).write(to: answer)
    }
  }

  /// Keeps GTK's own inspector (Ctrl+Shift+I and D) away, which could change and close the window.
  ///
  /// GTK 4.8 opens it whatever a handler answers, unless the handler stops the emission.
  package func refuseInspector(of window: UnsafeMutablePointer<GtkWindow>) {
    answer(gpointer(window), "enable-debugging", self) { _ in
      g_signal_stop_emission_by_name(gpointer(window), "enable-debugging")
      return true
    }
  }

  private func connect(_ object: gpointer, _ signal: String, _ call: @escaping SignalHandler.Function) {
    connections.append((object, g_signal_connect_closure(object, signal, SignalHandler(call).closure, 0)))
  }

  package func disconnectAll() {
    for connection in connections { g_signal_handler_disconnect(connection.object, connection.handler) }
    connections = []
  }
}

/// A function that the emissions of a signal call. The `GClosure` keeps it.
@MainActor
private final class SignalHandler {
  typealias Function = @MainActor (SignalEmission, UnsafeMutablePointer<GValue>?) -> Void

  private let call: Function

  init(_ call: @escaping Function) { self.call = call }

  var closure: UnsafeMutablePointer<GClosure> {
    let data = Unmanaged.passRetained(self).toOpaque()
    let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data)!
    g_closure_add_finalize_notifier(closure, data) { data, _ in
      if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() }
    }
    g_closure_set_marshal(closure) { closure, answer, count, values, _, _ in
      // GTK calls it on its main thread, which is that of the main actor.
      nonisolated(unsafe) let (emission, answer) = (
        SignalEmission(UnsafeBufferPointer(start: values, count: Int(count))), answer
      )
      guard let data = closure?.pointee.data else { return }
      let handler = Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue()
      MainActor.assumeIsolated { handler.call(emission, answer) }
    }
    return closure
  }
}

/// The parameters of an emission.
private struct SignalEmission {
  /// Of which the first is the source of the signal.
  private var rest: Slice<UnsafeBufferPointer<GValue>>

  init(_ values: UnsafeBufferPointer<GValue>) { rest = values.dropFirst() }

  mutating func next<Argument: SignalArgument>(_: Argument.Type) -> Argument {
    var value = rest.removeFirst()
    return Argument(&value)
  }
}

/// A parameter of a signal.
package protocol SignalArgument {
  /// - Parameter value: lives as long as the emission.
  init(_ value: UnsafePointer<GValue>)
}

extension gint: SignalArgument {
  package init(_ value: UnsafePointer<GValue>) { self = g_value_get_int(value) }
}

extension guint: SignalArgument {
  package init(_ value: UnsafePointer<GValue>) { self = g_value_get_uint(value) }
}

extension Double: SignalArgument {
  package init(_ value: UnsafePointer<GValue>) { self = g_value_get_double(value) }
}

extension GdkModifierType: SignalArgument {
  package init(_ value: UnsafePointer<GValue>) { self.init(g_value_get_flags(value)) }
}

extension WebKitLoadEvent: SignalArgument {
  package init(_ value: UnsafePointer<GValue>) { self.init(guint(bitPattern: g_value_get_enum(value))) }
}

extension WebKitPolicyDecisionType: SignalArgument {
  package init(_ value: UnsafePointer<GValue>) { self.init(guint(bitPattern: g_value_get_enum(value))) }
}

extension WebKitWebProcessTerminationReason: SignalArgument {
  package init(_ value: UnsafePointer<GValue>) { self.init(guint(bitPattern: g_value_get_enum(value))) }
}

/// A pointer, a text of C, or nothing. Each has the type that the signal's documentation says.
package protocol SignalPointer {
  static func read(_ pointer: gpointer) -> Self
}

extension Optional: SignalArgument where Wrapped: SignalPointer {
  package init(_ value: UnsafePointer<GValue>) { self = g_value_peek_pointer(value).map(Wrapped.read) }
}

extension OpaquePointer: SignalPointer {
  package static func read(_ pointer: gpointer) -> OpaquePointer { OpaquePointer(pointer) }
}

extension UnsafeMutableRawPointer: SignalPointer {
  package static func read(_ pointer: gpointer) -> gpointer { pointer }
}

extension UnsafeMutablePointer: SignalPointer {
  package static func read(_ pointer: gpointer) -> UnsafeMutablePointer {
    pointer.assumingMemoryBound(to: Pointee.self)
  }
}

extension String: SignalPointer {
  package static func read(_ pointer: gpointer) -> String {
    String(cString: pointer.assumingMemoryBound(to: CChar.self))
  }
}

/// What a handler answers to a signal.
package protocol SignalAnswer {
  func write(to value: UnsafeMutablePointer<GValue>)
}

extension Bool: SignalAnswer {
  /// Signals that know a third answer have numbers.
  package func write(to value: UnsafeMutablePointer<GValue>) {
    let isNumber = g_type_check_value_holds(value, GType(6 << 2)) != 0  // G_TYPE_INT
    if isNumber { g_value_set_int(value, gboolean) } else { g_value_set_boolean(value, gboolean) }
  }
}

extension Optional: SignalAnswer where Wrapped == gpointer {
  /// An object, whose reference the emission takes.
  package func write(to value: UnsafeMutablePointer<GValue>) { g_value_take_object(value, self) }
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
