internal import CSystemd

/// Where the library's callback leaves what arrived for one call or one match. It is handed to C as an unretained
/// pointer, so whoever owns it keeps it alive until the slot is gone.
final class MessageBox {
  /// A peer may send signals faster than anybody reads them; those beyond this number are dropped.
  private static let capacity = 64
  private(set) var messages: [BusMessage] = []

  var isEmpty: Bool { messages.isEmpty }

  func removeFirst() -> BusMessage? { messages.isEmpty ? nil : messages.removeFirst() }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static let callback: sd_bus_message_handler_t = { message, context, _ in
    guard let message, let context else { return 0 }
    let box = Unmanaged<MessageBox>.fromOpaque(context).takeUnretainedValue()
    if box.messages.count < capacity { box.messages.append(BusMessage(owning: sd_bus_message_ref(message))) }
    return 0
  }
}
