internal import CSystemd

/// One signal of one peer, gathered from when the subscription was made until it is released.
public final class SignalSubscription {
  let signals: MessageBox
  /// The bus's news about the peer's name, which comes when it leaves.
  let departures: MessageBox
  private let slots: [OpaquePointer]

  init(signals: MessageBox, departures: MessageBox, slots: [OpaquePointer]) {
    self.signals = signals
    self.departures = departures
    self.slots = slots
  }

  deinit { for slot in slots { sd_bus_slot_unref(slot) } }
}
