internal import CSystemd
import Foundation

/// A connection to a message bus, by sd-bus. Its calls block; it is for one thread only, such as that of an actor
/// with a `ThreadExecutor`.
///
/// Source: D-Bus specification, "Message Protocol" and "Message Bus"; sd-bus(3).
public final class BusConnection {
  public enum Address: Sendable, Equatable {
    /// The user's bus, by `DBUS_SESSION_BUS_ADDRESS` or else at `$XDG_RUNTIME_DIR/bus`.
    case session
    case system
    /// An address in the bus's own syntax, such as `unix:path=/run/user/1000/bus`.
    case at(String)
  }

  /// How long an ordinary call may take, as long as the reference library allows.
  public static let ordinaryLimit = Duration.seconds(25)

  private let bus: OpaquePointer

  private init(owning bus: OpaquePointer) { self.bus = bus }

  deinit { sd_bus_close_unref(bus) }

  /// - Throws: `BusError.noBus` when there is none.
  public static func open(_ address: Address) throws(BusError) -> BusConnection {
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
    return BusConnection(owning: bus)
  }

  /// Whether the connection can still be used.
  public var isOpen: Bool { sd_bus_is_open(bus) > 0 }

  // MARK: - Calls

  /// A method call to be filled with arguments, in the order of the method's signature.
  ///
  /// - Parameter destination: a unique (`:1.5`) or a well-known name.
  public func methodCall(
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

  /// Sends `call` and waits for its answer.
  ///
  /// - Throws: `BusError`: `.remote` with the name of an error that was answered; `.timedOut`, `.interrupted` or
  ///   `.disconnected` when no answer came, in which case the call may still have had its effect.
  public func call(
    _ call: BusMessage, within limit: Duration = ordinaryLimit, interruption: BusInterruption? = nil
  ) throws(BusError) -> BusMessage {
    let box = MessageBox()
    var slot: OpaquePointer?
    // The limit is kept by the loop below, so the library shall have none of its own.
    let result = sd_bus_call_async(bus, &slot, call.pointer, MessageBox.callback, box.context, .max)
    guard result >= 0 else { throw isOpen ? .connection("sending", result) : .disconnected }
    defer {
      sd_bus_slot_unref(slot)
      withExtendedLifetime(box) {}
    }
    try run(until: .now + limit, interruption) { !box.isEmpty }
    guard let reply = box.removeFirst() else { throw .disconnected }
    if let name = reply.errorName {
      // At the end of a connection the library answers every open call by itself.
      throw isOpen ? .remote(name: name) : .disconnected
    }
    return reply
  }

  // MARK: - Signals

  /// Begins to gather a signal. It is asked for before anything that is sent later, so no signal that a later call
  /// brings about is missed.
  ///
  /// - Parameter peer: the unique name of who sends it; what others send under the same path is ignored.
  public func subscribe(
    to signal: String, interface: String, path: String, from peer: String
  ) throws(BusError) -> SignalSubscription {
    guard peer.hasPrefix(":"), sd_bus_service_name_is_valid(peer) > 0 else {
      throw .invalidArgument("A peer's name that is not a unique one")
    }
    guard sd_bus_object_path_is_valid(path) > 0 else { throw .invalidArgument("An object path") }
    let signals = MessageBox()
    let departures = MessageBox()
    var slots: [OpaquePointer] = []
    let rules = [
      ("type='signal',sender='\(peer)',path='\(path)',interface='\(interface)',member='\(signal)'", signals),
      (
        "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(peer)',arg2=''", departures
      ),
    ]
    for (rule, box) in rules {
      var slot: OpaquePointer?
      let result = sd_bus_add_match_async(bus, &slot, rule, MessageBox.callback, nil, box.context)
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
  /// - Throws: `BusError.timedOut`, `.interrupted`, `.disconnected`; `.peerVanished` when the sender has left the bus.
  public func wait(
    for subscription: SignalSubscription, within limit: Duration, interruption: BusInterruption? = nil
  ) throws(BusError) -> BusMessage {
    try run(until: .now + limit, interruption) {
      !subscription.signals.isEmpty || !subscription.departures.isEmpty
    }
    guard let signal = subscription.signals.removeFirst() else { throw .peerVanished }
    return signal
  }

  // MARK: - The loop

  /// Lets the library work until `isDone`, and waits on the bus and the interruption in between.
  private func run(
    until deadline: ContinuousClock.Instant, _ interruption: BusInterruption?, _ isDone: () -> Bool
  ) throws(BusError) {
    while !isDone() {
      // Looked at in every turn, so that a peer who never stops sending cannot hold the loop.
      if let interruption, interruption.isInterrupted { throw .interrupted }
      guard ContinuousClock.now < deadline else { throw .timedOut }
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
    let milliseconds = min(deadline - .now, libraryTimeout) / .milliseconds(1)
    let result = poll(&descriptors, nfds_t(descriptors.count), Int32(min(max(0, milliseconds.rounded(.up)), 60_000)))
    guard result >= 0 || errno == EINTR else { throw .system(operation: "poll", code: errno) }
  }

  /// When the library wants to be called again by itself, as while it introduces itself to the bus.
  private var libraryTimeout: Duration {
    var deadline = UInt64.max
    guard sd_bus_get_timeout(bus, &deadline) > 0, deadline < .max else { return .seconds(60) }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    return deadline > microseconds ? .microseconds(Int64(clamping: deadline - microseconds)) : .zero
  }
}
