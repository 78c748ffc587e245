internal import CTesseraSystemd
import Glibc
import Synchronization
import TesseraThreads

/// A connection to a message bus through sd-bus. Its calls block. Use it on one thread only, for example that of an
/// actor with a `ThreadExecutor`.
///
/// Source: D-Bus specification, "Message Protocol" and "Message Bus"; sd-bus(3).
package final class BusConnection {
  package enum Address: Sendable, Equatable {
    /// The user's bus: `DBUS_SESSION_BUS_ADDRESS`, or else `$XDG_RUNTIME_DIR/bus`.
    case session
    case system
    /// A D-Bus address, such as `unix:path=/run/user/1000/bus`.
    case at(String)
  }

  /// The default time limit of a call, the same as in the reference library.
  package static let ordinaryLimit = Duration.seconds(25)

  private let bus: OpaquePointer
  private let clock: any MonotonicClock

  private init(owning bus: OpaquePointer, _ clock: any MonotonicClock) {
    self.bus = bus
    self.clock = clock
  }

  deinit { sd_bus_close_unref(bus) }

  /// - Parameter clock: Measures the time limits of calls and waits.
  /// - Throws: `BusError.noBus` if there is no such bus.
  package static func open(
    _ address: Address, clock: any MonotonicClock = ContinuousClock()
  ) throws(BusError) -> BusConnection {
    var bus: OpaquePointer?
    var result: Int32
    switch address {
    case .session: result = sd_bus_open_user(&bus)
    case .system: result = sd_bus_open_system(&bus)
    case .at(let text):
      guard !text.utf8.contains(0) else { throw .invalidArgument("A bus address with a zero character") }
      result = sd_bus_new(&bus)
      if result >= 0 { result = sd_bus_set_address(bus, text) }
      if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
      if result >= 0 { result = sd_bus_start(bus) }
    }
    guard result >= 0, let bus else {
      sd_bus_unref(bus)
      throw .connection("connecting", result)
    }
    return BusConnection(owning: bus, clock)
  }

  /// Whether the connection can still be used.
  package var isOpen: Bool { sd_bus_is_open(bus) > 0 }

  /// The name that the bus gave this connection (`:1.5`); nil after its end.
  package var uniqueName: String? {
    var name: UnsafePointer<CChar>?
    guard sd_bus_get_unique_name(bus, &name) >= 0, let name else { return nil }
    return String(cString: name)
  }

  // MARK: - Calls

  /// A method call without arguments. Append them in the order of the method's signature.
  ///
  /// - Parameter destination: A unique (`:1.5`) or a well-known name.
  package func methodCall(
    to destination: String, path: String, interface: String, method: String
  ) throws(BusError) -> BusMessage {
    guard ![destination, path, interface, method].contains(where: { $0.utf8.contains(0) }) else {
      throw .invalidArgument("A name with a zero character")
    }
    var message: OpaquePointer?
    let result = sd_bus_message_new_method_call(bus, &message, destination, path, interface, method)
    guard result >= 0, let message else { throw .writing("A name", result) }
    return BusMessage(owning: message)
  }

  /// Sends `call` and waits for its reply.
  ///
  /// - Throws: `BusError.remote` with the name of the D-Bus error that was returned; `.timedOut`, `.interrupted` or
  ///   `.disconnected` without a reply. In these cases the call may still have been executed.
  package func call(
    _ call: BusMessage, within limit: Duration = ordinaryLimit, interruption: BusInterruption? = nil
  ) throws(BusError) -> BusMessage {
    let box = PendingReply()
    var slot: OpaquePointer?
    // The loop below enforces the time limit, so the library gets none.
    let result = sd_bus_call_async(bus, &slot, call.pointer, PendingReply.callback, box.context, .max)
    guard result >= 0 else { throw isOpen ? .connection("sending", result) : .disconnected }
    defer {
      sd_bus_slot_unref(slot)
      withExtendedLifetime(box) {}
    }
    try run(until: clock.now + limit, interruption) { !box.isEmpty }
    guard let reply = box.removeFirst() else { throw .disconnected }
    if let name = reply.errorName {
      // When a connection ends, the library itself answers every open call with an error.
      throw isOpen ? .remote(name: name) : .disconnected
    }
    return reply
  }

  // MARK: - Signals

  /// Subscribes to a signal. No signal that a later call causes is missed.
  ///
  /// - Parameters:
  ///   - path: The object that sends the signal.
  ///   - withChildren: Whether the objects below this path count as well.
  ///   - peer: The unique name of the sender; signals of other senders are ignored.
  package func subscribe(
    to signal: String, interface: String, path: String, withChildren: Bool = false, from peer: String
  ) throws(BusError) -> SignalSubscription {
    guard peer.hasPrefix(":"), sd_bus_service_name_is_valid(peer) > 0 else {
      throw .invalidArgument("A peer's name that is not a unique one")
    }
    guard sd_bus_object_path_is_valid(path) > 0 else { throw .invalidArgument("An object path") }
    let signals = PendingReply()
    let departures = PendingReply()
    var slots: [OpaquePointer] = []
    let rules = [
      (
        "type='signal',sender='\(peer)',\(withChildren ? "path_namespace" : "path")='\(path)',interface='\(interface)',"
          + "member='\(signal)'", signals
      ),
      (
        "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(peer)',arg2=''", departures
      ),
    ]
    for (rule, box) in rules {
      var slot: OpaquePointer?
      let result = sd_bus_add_match_async(bus, &slot, rule, PendingReply.callback, nil, box.context)
      guard result >= 0, let slot else {
        for slot in slots { sd_bus_slot_unref(slot) }
        throw isOpen ? .connection("subscribing", result) : .disconnected
      }
      slots.append(slot)
    }
    return SignalSubscription(signals: signals, departures: departures, slots: slots)
  }

  /// Waits for the next signal of a subscription.
  ///
  /// - Throws: `BusError.timedOut`, `.interrupted`, `.disconnected`; `.peerVanished` if the sender has left the bus.
  package func wait(
    for subscription: SignalSubscription, within limit: Duration, interruption: BusInterruption? = nil
  ) throws(BusError) -> BusMessage {
    try run(until: clock.now + limit, interruption) {
      !subscription.signals.isEmpty || !subscription.departures.isEmpty
    }
    guard let signal = subscription.signals.removeFirst() else { throw .peerVanished }
    return signal
  }

  // MARK: - The loop

  /// Processes messages until `isDone`, and waits for the bus and the interruption in between.
  private func run(
    until deadline: ContinuousClock.Instant, _ interruption: BusInterruption?, _ isDone: () -> Bool
  ) throws(BusError) {
    while !isDone() {
      // Checked in each iteration, so that a peer that sends continuously cannot block the loop.
      if let interruption, interruption.isInterrupted { throw .interrupted }
      guard clock.now < deadline else { throw .timedOut }
      let result = sd_bus_process(bus, nil)
      if isDone() { return }
      guard result >= 0 else { throw .connection("receiving", result) }
      guard isOpen || result > 0 else { throw .disconnected }
      if result == 0 { try wait(until: deadline, interruption) }
    }
  }

  private func wait(until deadline: ContinuousClock.Instant, _ interruption: BusInterruption?) throws(BusError) {
    let descriptor = sd_bus_get_fd(bus)
    guard descriptor >= 0 else { throw .connection("receiving", descriptor) }
    let events = sd_bus_get_events(bus)
    guard events >= 0 else { throw .connection("receiving", events) }
    var descriptors = [pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)]
    if let interruption {
      descriptors.append(pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0))
    }
    let result = clock.poll(&descriptors, until: libraryDeadline.map { min(deadline, $0) } ?? deadline)
    guard result >= 0 || errno == EINTR else { throw .system(operation: "poll", code: errno) }
  }

  /// When the library must be called again, for example during authentication; nil for no such time.
  private var libraryDeadline: ContinuousClock.Instant? {
    var deadline = UInt64.max
    guard sd_bus_get_timeout(bus, &deadline) > 0, deadline < .max else { return nil }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    guard deadline > microseconds else { return clock.now }
    return clock.now + .microseconds(Int64(clamping: deadline - microseconds))
  }
}

/// The messages that the library's callback received for one call or one match. C has an unretained pointer to this
/// object, so its owner must keep it alive until the slot is released.
final class PendingReply {
  /// The maximum number of messages; further ones are discarded. A peer may send signals faster than they are read.
  private static let capacity = 64
  private(set) var messages: [BusMessage] = []

  var isEmpty: Bool { messages.isEmpty }

  func removeFirst() -> BusMessage? { messages.isEmpty ? nil : messages.removeFirst() }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static let callback: sd_bus_message_handler_t = { message, context, _ in
    guard let message, let context else { return 0 }
    let box = Unmanaged<PendingReply>.fromOpaque(context).takeUnretainedValue()
    if box.messages.count < capacity { box.messages.append(BusMessage(owning: sd_bus_message_ref(message))) }
    return 0
  }
}

/// The received signals of one kind and one sender, until this object is released.
package final class SignalSubscription {
  let signals: PendingReply
  /// Signals of the bus that the sender has left.
  let departures: PendingReply
  private let slots: [OpaquePointer]

  init(signals: PendingReply, departures: PendingReply, slots: [OpaquePointer]) {
    self.signals = signals
    self.departures = departures
    self.slots = slots
  }

  deinit { for slot in slots { sd_bus_slot_unref(slot) } }
}

/// Ends a blocking call of a `BusConnection` from another thread. An interruption before the start of the call takes
/// effect as well. Use one object for each operation.
package final class BusInterruption: Sendable {
  let descriptor: Int32
  private let triggered = Atomic(false)

  /// - Throws: `BusError.system` if the process has no free descriptor.
  package init() throws(BusError) {
    descriptor = eventfd(0, tessera_eventfd_flags)
    guard descriptor >= 0 else { throw .system(operation: "eventfd", code: errno) }
  }

  deinit { close(descriptor) }

  package var isInterrupted: Bool { triggered.load(ordering: .acquiring) }

  /// May be called on any thread, several times.
  package func interrupt() {
    triggered.store(true, ordering: .releasing)
    _ = eventfd_write(descriptor, 1)
  }
}
