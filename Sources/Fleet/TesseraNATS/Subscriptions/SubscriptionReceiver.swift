internal import CTesseraNATS

/// What libnats calls for each message of a subscription.
///
/// A handler can run after its subscription was destroyed. So libnats holds a reference to this object, which it gives
/// back when it says that no more calls come.
final class SubscriptionReceiver: Sendable {
  private let receive: @Sendable (NATSMessage) -> Void

  init(_ receive: @escaping @Sendable (NATSMessage) -> Void) { self.receive = receive }

  /// Begins the reception.
  func subscribe(
    _ connection: OpaquePointer, _ subject: String, queue: String?
  ) throws(NATSError) -> SubscriptionHandle {
    let reference = Unmanaged.passRetained(self)
    var created: OpaquePointer?
    let status =
      if let queue {
        natsConnection_QueueSubscribe(
          &created, connection, subject, queue, Self.deliver, reference.toOpaque())
      } else {
        natsConnection_Subscribe(&created, connection, subject, Self.deliver, reference.toOpaque())
      }
    guard status == NATS_OK, let pointer = created else {
      reference.release()
      throw NATSStatus.error(status)
    }
    // This fails only if the connection was closed meanwhile. Then the object stays in memory: libnats does not say
    // whether a call is under way.
    natsSubscription_SetOnCompleteCB(
      pointer,
      { closure in
        if let closure { Unmanaged<SubscriptionReceiver>.fromOpaque(closure).release() }
      }, reference.toOpaque())
    // Messages do not stay there, since the receiver returns at once.
    natsSubscription_SetPendingLimits(pointer, 65_536, Int32(SubscriptionQueue.maximumBytes))
    return SubscriptionHandle(pointer: pointer)
  }

  private static let deliver: natsMsgHandler = { _, _, message, closure in
    guard let message else { return }
    let copy = NATSMessage(taking: message)
    guard let closure else { return }
    Unmanaged<SubscriptionReceiver>.fromOpaque(closure).takeUnretainedValue().receive(copy)
  }
}

/// A subscription of libnats.
///
/// `@unchecked Sendable`: libnats locks each subscription itself; `NATSSubscription` destroys it once.
struct SubscriptionHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// The messages that libnats dropped.
  var dropped: Int {
    var count: Int64 = 0
    return natsSubscription_GetDropped(pointer, &count) == NATS_OK ? Int(count) : 0
  }

  func destroy() {
    natsSubscription_Unsubscribe(pointer)
    natsSubscription_Destroy(pointer)
  }
}
