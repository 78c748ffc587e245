internal import CTesseraSystemd

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
