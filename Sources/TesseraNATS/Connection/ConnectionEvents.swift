internal import CTesseraNATS
internal import TesseraThreads

/// The states and problems of a connection, as libnats tells them from a thread of its own.
///
/// libnats knows this object by a number only. A callback that comes after the end of the connection finds nothing.
final class ConnectionEvents: Sendable {
  private struct State {
    var current = NATSConnectionState.connected
    var handlers: [@Sendable (NATSConnectionState) -> Void] = []
    var problemHandlers: [@Sendable (NATSConnectionProblem) -> Void] = []
  }
  private let state = Locked(State())
  private let number: UInt
  /// nil if the connection logs in without a seed.
  private let signature: NKeySignature?

  private struct Table {
    var last: UInt = 0
    var objects: [UInt: ConnectionEvents] = [:]
  }
  private static let table = Locked(Table())

  /// The object is known to libnats until `unregister()`.
  init(signature: NKeySignature? = nil) {
    self.signature = signature
    number = Self.table.withLock { table in
      // Zero would be the null pointer.
      table.last += 1
      return table.last
    }
    Self.table.withLock { $0.objects[number] = self }
  }

  func unregister() { Self.table.withLock { $0.objects[number] = nil } }

  var current: NATSConnectionState { state.withLock { $0.current } }

  func add(_ handler: @escaping @Sendable (NATSConnectionState) -> Void) {
    state.withLock { $0.handlers.append(handler) }
  }

  func addProblemHandler(_ handler: @escaping @Sendable (NATSConnectionProblem) -> Void) {
    state.withLock { $0.problemHandlers.append(handler) }
  }

  func change(to new: NATSConnectionState) {
    let handlers = state.withLock { state -> [@Sendable (NATSConnectionState) -> Void] in
      guard state.current != .closed, state.current != new else { return [] }
      state.current = new
      // The handlers may refer to the connection.
      defer { if new == .closed { (state.handlers, state.problemHandlers) = ([], []) } }
      return state.handlers
    }
    for handler in handlers { handler(new) }
  }

  func report(_ problem: NATSConnectionProblem) {
    for handler in state.withLock({ $0.problemHandlers }) { handler(problem) }
  }

  // MARK: - Callbacks

  func register(in options: OpaquePointer) -> natsStatus {
    let closure = UnsafeMutableRawPointer(bitPattern: number)
    let statuses = [
      natsOptions_SetDisconnectedCB(
        options, { _, closure in ConnectionEvents.object(closure)?.change(to: .reconnecting) }, closure),
      natsOptions_SetReconnectedCB(
        options, { _, closure in ConnectionEvents.object(closure)?.change(to: .connected) }, closure),
      natsOptions_SetClosedCB(
        options, { _, closure in ConnectionEvents.object(closure)?.change(to: .closed) }, closure),
      natsOptions_SetErrorHandler(
        options,
        { _, subscription, status, closure in ConnectionEvents.object(closure)?.receive(status, subscription) },
        closure),
    ]
    return statuses.first { $0 != NATS_OK } ?? NATS_OK
  }

  /// Lets libnats ask for the signatures of logins.
  func registerSignature(of publicKey: String, in options: OpaquePointer) -> natsStatus {
    natsOptions_SetNKey(
      options, publicKey,
      { _, bytes, count, text, closure in
        guard let bytes, let count, let text,
          let signature = ConnectionEvents.object(closure)?.signature?.sign(text)
        else { return NATS_ERR }
        bytes.pointee = signature.bytes
        count.pointee = signature.count
        return NATS_OK
      }, UnsafeMutableRawPointer(bitPattern: number))
  }

  /// How many logins were broken off, since libnats could not have sent their signatures.
  var brokenOffLogins: Int { signature?.brokenOff ?? 0 }

  private func receive(_ status: natsStatus, _ subscription: OpaquePointer?) {
    switch status {
    case NATS_NOT_PERMITTED: report(.notPermitted)
    case NATS_SLOW_CONSUMER:
      let subject = subscription.flatMap { natsSubscription_GetSubject($0) }.map { String(cString: $0) }
      report(.slowConsumer(subject: subject ?? ""))
    default: break
    }
  }

  private static func object(_ closure: UnsafeMutableRawPointer?) -> ConnectionEvents? {
    let number = UInt(bitPattern: closure)
    return table.withLock { $0.objects[number] }
  }
}
