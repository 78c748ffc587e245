internal import CTesseraNATS
internal import TesseraThreads

/// A connection to one of the servers of a cluster. It is made again without limit after a loss, with all
/// subscriptions.
///
/// Only the servers of the configuration are used, not those that a server names.
///
/// While there is no connection, a publication throws `NATSError.disconnected`. What waits to be written at a loss may
/// still be sent over the next connection. Requests that are under way at a loss end with that error, since an answer
/// may have been lost.
///
/// `close()` must be called at the end.
package final class NATSConnection: Sendable {
  private let handle: ConnectionHandle
  let thread = ConnectionThread()
  private let events: ConnectionEvents
  let requests = PendingRequests()
  private let inbox: String
  /// Of the answers; nil until there is one.
  private let answers = Locked<NATSSubscription?>(nil)
  private let isClosed = Locked(false)
  private let writeDeadline: Duration

  /// Connects to the first server that accepts the login.
  ///
  /// - Throws: `NATSError.unreachable`, `.refused`, `.tls`, `.credentialsUnusable`, `.invalidSubject` (the prefix of
  ///   the inbox), `.excessiveAnnouncement`, `.library`; `CancellationError`.
  package static func connect(_ configuration: NATSConfiguration) async throws -> NATSConnection {
    let inbox = "\(configuration.inboxPrefix).\(Self.randomToken())"
    guard NATSSubject.isValid(inbox) else { throw NATSError.invalidSubject }
    // The library waits for each server, and cannot be interrupted.
    return try await withTimeLimit(
      configuration.longestConnect, orThrow: NATSError.unreachable, onLateResult: { await $0.close() },
      {
        try await BlockingWork(name: "NATS connect").run {
          defer { nats_ReleaseThreadMemory() }
          let connection = try NATSConnection(configuration, inbox: inbox)
          try connection.receiveAnswers()
          return connection
        }
      })
  }

  /// 16 random bytes: nobody else can guess the subject of an answer.
  private static func randomToken() -> String {
    (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined(separator: "-")
  }

  /// Blocks.
  private init(_ configuration: NATSConfiguration, inbox: String) throws(NATSError) {
    events = ConnectionEvents()
    handle = try ConnectionHandle(configuration, events, thread) { [requests] in requests.forgetRefusal() }
    self.inbox = inbox
    writeDeadline = configuration.writeDeadline
  }

  /// Blocks.
  private func receiveAnswers() throws(NATSError) {
    let requests = requests
    // The answer is handed over on the thread of libnats; what it resumes runs elsewhere.
    let receiver = SubscriptionReceiver { requests.receive($0) }
    let number = handle.subscriptions.add(receiver, "\(inbox).*", queue: nil)
    try handle.begin(number)
    let subscription = NATSSubscription(number, in: handle.subscriptions, thread, nil)
    answers.withLock { $0 = subscription }
    events.add { [weak events] state in
      switch state {
      case .connected: break
      case .reconnecting: requests.fail(.disconnected)
      case .closed: requests.fail(events?.ending ?? .closed)
      }
    }
    events.addProblemHandler { [inbox] problem in
      if case .notPermitted(let violation) = problem { requests.refuse(violation, inbox: inbox) }
    }
  }

  // MARK: - State

  /// The state that was reported last.
  package var state: NATSConnectionState { events.current }

  /// Why the connection is closed: `NATSError.closed`, or what the server did.
  package var closingError: NATSError { events.ending ?? .closed }

  /// Why no request of this connection gets an answer: the server refuses the subscription of the answers; nil if it does
  /// not.
  package var refusal: NATSError? { requests.refusal }

  /// Calls `handler` at each later change, on a thread of libnats. It must not block.
  package func onStateChange(_ handler: @escaping @Sendable (NATSConnectionState) -> Void) { events.add(handler) }

  /// Calls `handler` for what goes wrong without an error of a call, on a thread of libnats. It must not block. What went
  /// wrong before is told at once, the first 64 problems.
  package func onProblem(_ handler: @escaping @Sendable (NATSConnectionProblem) -> Void) {
    events.addProblemHandler(handler)
  }

  /// The longest payload that the server accepts, in bytes.
  package var maximumPayload: Int { handle.maximumPayload }

  // MARK: - Messages

  /// Sends a message without waiting until it is written. It may be lost if the connection is lost before or at that
  /// moment.
  ///
  /// - Throws: `NATSError.disconnected`, `.closed`, `.tooLarge`, `.invalidSubject`, `.invalidHeader`; `.congested` if
  ///   the server does not read as fast as messages are sent; `.excessiveMessage` if it was closed for that.
  package func publish(_ message: NATSMessage) throws(NATSError) { try add(message) { _ in } }

  /// Sends a message, and waits until it is written to the socket. It may be lost if the connection is lost at this
  /// moment. A cancelled task sends it and waits, too.
  ///
  /// - Throws: those of `publish(_:)`; `NATSError.disconnected` also if the server has not read for the write deadline
  ///   of the configuration, when the connection is given up.
  package func publishAndWait(_ message: NATSMessage) async throws(NATSError) {
    let error = await withCheckedContinuation { continuation in
      do throws(NATSError) {
        try add(message) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(returning: error)
      }
    }
    if let error { throw error }
  }

  /// Hands a message to the thread that writes it.
  ///
  /// - Parameter onEnd: called on that thread after the write, with its error.
  /// - Returns: The number of the call.
  @discardableResult
  private func add(
    _ message: NATSMessage, _ onEnd: @escaping @Sendable (NATSError?) -> Void
  ) throws(NATSError) -> UInt64 {
    guard NATSSubject.isValid(message.subject), message.reply.map(NATSSubject.isValid) ?? true else {
      throw .invalidSubject
    }
    guard message.headers.areValid else { throw .invalidHeader }
    try checkConnected()
    let (limit, size) = (maximumPayload, message.size)
    guard limit <= 0 || size <= limit else { throw .tooLarge(limit: limit) }
    return try thread.add(bytes: size) { [handle] in
      do throws(NATSError) {
        try handle.publish(message)
        onEnd(nil)
      } catch {
        onEnd(error)
      }
    }
  }

  private func checkConnected() throws(NATSError) {
    switch isClosed.withLock({ $0 }) ? .closed : state {
    case .connected: break
    case .reconnecting: throw .disconnected
    case .closed: throw closingError
    }
  }

  /// Answers a message, as `publish(_:)` does. Does nothing if it wants no answer.
  package func respond(to message: NATSMessage, _ payload: [UInt8]) throws(NATSError) {
    guard let reply = message.reply else { return }
    try publish(NATSMessage(subject: reply, payload: payload))
  }

  /// Answers a message, as `publishAndWait(_:)` does. Does nothing if it wants no answer.
  package func respondAndWait(to message: NATSMessage, _ payload: [UInt8]) async throws(NATSError) {
    guard let reply = message.reply else { return }
    try await publishAndWait(NATSMessage(subject: reply, payload: payload))
  }

  /// Receives the messages of a subject, which may contain the wildcards `*` and `>`.
  ///
  /// - Parameters:
  ///   - queue: of several clients with the same name, one gets each message.
  ///   - pendingLimit: how many messages may wait for the handler; more are dropped, and so are those beyond 64 MiB.
  ///   - handler: is called on a thread of its own, one message at a time.
  /// - Returns: The subscription, which begins before everything that is sent later. After `flush(within:)` the server
  ///   knows it.
  /// - Throws: `NATSError.invalidSubject`, `.closed`, `.congested`.
  package func subscribe(
    _ subject: String, queue: String? = nil, pendingLimit: Int = 1024,
    _ handler: @escaping @Sendable (NATSMessage) -> Void
  ) throws(NATSError) -> NATSSubscription {
    guard NATSSubject.isPattern(subject), queue.map(NATSSubject.isQueue) ?? true else { throw .invalidSubject }
    guard !isClosed.withLock({ $0 }), state != .closed else { throw .closed }
    let waiting = SubscriptionQueue(
      limit: pendingLimit, onOverrun: { [events] in events.report(.slowConsumer(subject: subject)) }, handler: handler)
    let receiver = SubscriptionReceiver { waiting.receive($0) }
    let number = handle.subscriptions.add(receiver, subject, queue: queue)
    let subscription = NATSSubscription(number, in: handle.subscriptions, thread, waiting)
    try thread.add(bytes: 0) { [handle] in try? handle.begin(number) }
    return subscription
  }

  // MARK: - Requests

  /// The identifier that the server of this connection states in its answers.
  ///
  /// - Throws: `NATSError.disconnected`, `.closed`, `.congested`, `.library`; `CancellationError`.
  package func serverIdentifier() async throws -> String {
    try checkConnected()
    let identifier = FirstResult<String>()
    let call = try thread.add(bytes: 0) { [handle] in
      do throws(NATSError) {
        identifier.settle(.success(try handle.serverIdentifier()))
      } catch {
        identifier.settle(.failure(error))
      }
    }
    defer { thread.withdraw(call) }
    return try await Self.value(of: identifier)
  }

  /// Sends a request and waits for its answer.
  ///
  /// - Parameter isWanted: whether a message is the answer; others are dropped. It is called on a thread of libnats, and
  ///   must not block.
  /// - Throws: `NATSError.timeout`, `.noResponders`, `.notPermitted`, those of `publish(_:)`; `CancellationError`.
  package func request(
    _ subject: String, _ payload: [UInt8], headers: NATSHeaders = [], timeout: Duration,
    where isWanted: @escaping @Sendable (NATSMessage) -> Bool = { _ in true }
  ) async throws -> NATSMessage {
    try Task.checkCancellation()
    let answer = FirstResult<NATSMessage>()
    let token = try requests.add(subject, within: timeout) { result in
      if case .success(let message) = result, !message.isWithoutResponders, !isWanted(message) { return }
      answer.settle(result.mapError { $0 as any Error })
    }
    defer { requests.remove(token) }
    let call = try add(
      NATSMessage(subject: subject, reply: "\(inbox).\(token)", headers: headers, payload: payload)
    ) { error in
      if let error { answer.settle(.failure(error)) }
    }
    defer { thread.withdraw(call) }
    let message = try await Self.value(of: answer)
    guard !message.isWithoutResponders else { throw NATSError.noResponders }
    return message
  }

  /// Sends a request to everybody who listens, and gathers the answers that come in time, 4,096 and 16 MiB at most.
  ///
  /// - Throws: those of `publish(_:)`; `NATSError.disconnected` or `.closed` if the connection ends; `.notPermitted`;
  ///   `CancellationError`.
  package func requestMany(_ subject: String, _ payload: [UInt8], within time: Duration) async throws -> [NATSMessage] {
    try Task.checkCancellation()
    let gathered = Locked<(messages: [NATSMessage], bytes: Int)>(([], 0))
    let end = FirstResult<Void>()
    let token = try requests.add(subject, within: time) { result in
      switch result {
      case .success(let message) where message.isWithoutResponders: end.settle(.success(()))
      case .success(let message):
        let isFull = gathered.withLock { gathered in
          guard gathered.messages.count < Self.maximumAnswers,
            gathered.bytes + message.payload.count <= Self.maximumAnswerBytes
          else { return true }
          gathered.messages.append(message)
          gathered.bytes += message.payload.count
          return false
        }
        if isFull { end.settle(.success(())) }
      case .failure(.timeout): end.settle(.success(()))
      case .failure(let error): end.settle(.failure(error))
      }
    }
    defer { requests.remove(token) }
    let call = try add(NATSMessage(subject: subject, reply: "\(inbox).\(token)", payload: payload)) { error in
      if let error { end.settle(.failure(error)) }
    }
    defer { thread.withdraw(call) }
    try await Self.value(of: end)
    return gathered.withLock { $0.messages }
  }

  private static let maximumAnswers = 4_096
  private static let maximumAnswerBytes = 16 << 20

  /// Waits for a result, or for the cancellation of the calling task.
  private static func value<Value: Sendable>(of result: FirstResult<Value>) async throws -> Value {
    try await withTaskCancellationHandler {
      try await result.value
    } onCancel: {
      result.settle(.failure(CancellationError()))
    }
  }

  // MARK: - End

  /// Waits until the server has taken everything that was sent.
  ///
  /// - Throws: `NATSError.timeout`, `.disconnected`, `.closed`; `CancellationError`.
  package func flush(within time: Duration) async throws {
    try await withTimeLimit(time, orThrow: NATSError.timeout) { [handle, thread] in
      await thread.awaitEarlierCalls()
      try await BlockingWork(name: "NATS flush").run {
        defer { nats_ReleaseThreadMemory() }
        try handle.flush(within: time)
      }
    }
  }

  /// Ends the connection and all its subscriptions and requests. What was published before is sent first, as far as the
  /// server takes it within the write deadline. A write that is under way then can make the end as long again. A
  /// further call returns at once.
  package func close() async {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return }
    events.change(to: .closed)
    requests.fail(.closed)
    answers.withLock { $0 }?.cancel()
    // A task of its own: a cancelled caller has published, too. It waits for the server, since the kernel throws away
    // what the server has not read if anything arrives for a socket that is closed.
    let taken = Task { try await flush(within: writeDeadline) }
    _ = await taken.result
    _ = try? await BlockingWork(name: "NATS close").run { [handle] in handle.close() }
  }
}

extension NATSMessage {
  /// Whether the server says that nobody listens to the subject of a request.
  var isWithoutResponders: Bool { payload.isEmpty && headers["Status"] == "503" }
}
