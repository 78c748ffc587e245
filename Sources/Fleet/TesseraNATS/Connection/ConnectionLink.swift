internal import CTesseraNATS
internal import TesseraThreads

/// What one connection of libnats calls, from its beginning to its loss.
///
/// libnats knows this object by a number only. A callback that comes after the end finds nothing.
final class ConnectionLink: Sendable {
  let loop = ConnectionLoop()
  private let events: ConnectionEvents
  /// nil if the connection logs in without a seed.
  private let signature: NKeySignature?
  private let number: UInt
  private struct Loss {
    var isLost = false
    var handler: (@Sendable () -> Void)?
    /// Why this client ends the connection.
    var reason: NATSError?
    var reasonHandler: (@Sendable (NATSError) -> Void)?
  }
  private let loss = Locked(Loss())

  private struct Table {
    var last: UInt = 0
    var objects: [UInt: ConnectionLink] = [:]
  }
  private static let table = Locked(Table())

  /// The object is known to libnats until `unregister()`.
  init(_ events: ConnectionEvents, signature: NKeySignature?) {
    (self.events, self.signature) = (events, signature)
    number = Self.table.withLock { table in
      // Zero would be the null pointer.
      table.last += 1
      return table.last
    }
    Self.table.withLock { $0.objects[number] = self }
  }

  func unregister() { Self.table.withLock { $0.objects[number] = nil } }

  /// Calls `handler` once libnats has closed the connection, for whatever reason; at once if it has already.
  func onLoss(_ handler: @escaping @Sendable () -> Void) {
    let isLost = loss.withLock { loss in
      if !loss.isLost { loss.handler = handler }
      return loss.isLost
    }
    if isLost { handler() }
  }

  /// Calls `handler` with the reason for which this client ends the connection, before it does; at once if it has already.
  func onEnd(_ handler: @escaping @Sendable (NATSError) -> Void) {
    let reason = loss.withLock { loss in
      loss.reasonHandler = handler
      return loss.reason
    }
    if let reason { handler(reason) }
  }

  /// Notes why this client ends the connection. The caller closes it.
  func end(with reason: NATSError) {
    let handler = loss.withLock { loss in
      loss.reason = reason
      return loss.reasonHandler
    }
    handler?(reason)
  }

  private func lose() {
    let handler = loss.withLock { loss in
      loss.isLost = true
      defer { loss.handler = nil }
      return loss.handler
    }
    handler?()
  }

  // MARK: - Callbacks

  func register(in options: OpaquePointer) -> natsStatus {
    let closure = UnsafeMutableRawPointer(bitPattern: number)
    let statuses = [
      natsOptions_SetClosedCB(options, { _, closure in ConnectionLink.object(closure)?.lose() }, closure),
      natsOptions_SetErrorHandler(
        options,
        { _, subscription, status, closure in ConnectionLink.object(closure)?.receive(status, subscription) },
        closure),
      ConnectionLoop.register(closure, in: options),
    ]
    return statuses.first { $0 != NATS_OK } ?? NATS_OK
  }

  /// Lets libnats ask for the signatures of logins.
  func registerSignature(of publicKey: String, in options: OpaquePointer) -> natsStatus {
    natsOptions_SetNKey(
      options, publicKey,
      { _, bytes, count, text, closure in
        guard let bytes, let count,
          let signature = ConnectionLink.object(closure)?.signature?.sign(text)
        else { return NATS_ERR }
        bytes.pointee = signature.bytes
        count.pointee = signature.count
        return NATS_OK
      }, UnsafeMutableRawPointer(bitPattern: number))
  }

  private func receive(_ status: natsStatus, _ subscription: OpaquePointer?) {
    switch status {
    case NATS_NOT_PERMITTED: events.report(.notPermitted(PermissionViolation(lastErrorOfThread: ())))
    case NATS_SLOW_CONSUMER:
      let subject = subscription.flatMap { natsSubscription_GetSubject($0) }.map { String(cString: $0) }
      events.report(.slowConsumer(subject: subject ?? ""))
    default: break
    }
  }

  static func object(_ closure: UnsafeMutableRawPointer?) -> ConnectionLink? {
    let number = UInt(bitPattern: closure)
    return table.withLock { $0.objects[number] }
  }
}
