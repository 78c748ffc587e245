internal import CTesseraSystemd

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
