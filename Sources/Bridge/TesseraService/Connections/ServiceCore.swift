import Logging
import NIOCore
import TesseraBridge
import TesseraThreads

/// The state that all connections of a service share.
final class ServiceCore: Sendable {
  let router: MessageRouter
  let grants: CurrentGrants
  /// nil if nobody is asked.
  let asked: AskedGrants?
  let page: ServicePage?
  let limits: ServiceLimits
  let logger: Logger
  let measures: ServiceMeasures
  let quota: ConnectionQuota
  let handshakes: WaitingHandshakes
  let callers: LoopbackCallers
  let unread: UnreadResponses
  let rate: RequestRate
  let connections = OpenConnections()
  let lifetime = EventLoopLifetime()
  let logThrottle = LogThrottle()

  init(
    router: MessageRouter, grants: Grants, questions: ServiceConfiguration.Questions? = nil, page: ServicePage? = nil,
    limits: ServiceLimits,
    admitsSandboxes: Bool = false, logger: Logger, measures: ServiceMeasures
  ) {
    self.router = router
    let current = CurrentGrants(grants)
    self.grants = current
    asked = questions.map { [logThrottle] in AskedGrants(current, $0, router, logger, logThrottle) }
    self.page = page
    self.limits = limits
    self.logger = logger
    self.measures = measures
    let memory = MemoryTrimming()
    quota = ConnectionQuota(limits, memory)
    handshakes = WaitingHandshakes(limit: limits.handshakes)
    callers = LoopbackCallers(
      admitsSandboxes: admitsSandboxes, limit: max(limits.connections, limits.handshakes))
    unread = UnreadResponses(limits, memory)
    rate = RequestRate(limits)
  }
}

/// Lowers the level of repeated log entries: clients could fill the log with an event that they can cause at will.
final class LogThrottle: Sendable {
  /// Pages can come from any number of origins, so the number of remembered reasons is bounded.
  private static let maximumReasons = 1_000
  private let reasons = Locked<Set<String>>([])

  /// - Returns: `first` for the first entry with this reason, `debug` for all later ones.
  func level(_ reason: String, _ first: Logger.Level) -> Logger.Level {
    reasons.withLock { $0.count < Self.maximumReasons && $0.insert(reason).inserted } ? first : .debug
  }
}

/// Keeps requests that outlive the service from using an event loop that has shut down, which NIO does not allow.
final class EventLoopLifetime: Sendable {
  private let isOver = Locked(false)

  /// Runs the body on the event loop. Does nothing after `end`.
  func execute(on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
    isOver.withLock { if !$0 { loop.execute(body) } }
  }

  /// Must be called before the event loops are shut down.
  func end() { isOver.withLock { $0 = true } }
}

/// Hands elements from any thread to one event loop, in the order in which they were appended.
///
/// All elements that are appended before the event loop runs the drain arrive together, so that it can write them with
/// one flush. Everything that a connection sends goes through one queue. Otherwise a response that is sent on the event
/// loop could overtake an event that another thread sent before.
final class LoopQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isScheduled = false
    var isClosed = false
  }
  private let state = Locked(State())
  private let eventLoop: any EventLoop
  private let lifetime: EventLoopLifetime
  private let drain: @Sendable () -> Void

  /// - Parameter drain: is called on the event loop when there are elements; it calls `removeAll`.
  init(_ eventLoop: any EventLoop, _ lifetime: EventLoopLifetime, drain: @escaping @Sendable () -> Void) {
    self.eventLoop = eventLoop
    self.lifetime = lifetime
    self.drain = drain
  }

  func append(_ element: Element) {
    let isFirst = state.withLock { state in
      guard !state.isClosed else { return false }
      state.elements.append(element)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { lifetime.execute(on: eventLoop, drain) }
  }

  /// Discards all elements that are appended from now on.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.elements = []
    }
  }

  /// Removes and returns all elements.
  func removeAll() -> [Element] {
    state.withLock { state in
      state.isScheduled = false
      defer { state.elements = [] }
      return state.elements
    }
  }
}

/// The open connections, so that the service can close all of them when it stops.
final class OpenConnections: Sendable {
  private struct State {
    var handlers: [BridgeConnection: NIOLoopBound<ConnectionHandler>] = [:]
    var isStopping = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Locked(State())

  /// - Returns: false if the service is stopping.
  func add(_ connection: BridgeConnection, _ handler: NIOLoopBound<ConnectionHandler>) -> Bool {
    state.withLock { state in
      state.handlers[connection] = handler
      return !state.isStopping
    }
  }

  func remove(_ connection: BridgeConnection) {
    let waiting = state.withLock { state in
      state.handlers[connection] = nil
      guard state.handlers.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Closes a connection at once. Its client does not read, so it receives no closing reason.
  func cutOff(_ connection: BridgeConnection) {
    guard let handler = state.withLock({ $0.handlers[connection] }) else { return }
    handler.eventLoop.execute { handler.value.cutOff() }
  }

  /// Ends all connections and returns when they are closed. Each connection closes in bounded time.
  func stop() async {
    let handlers = state.withLock { state in
      state.isStopping = true
      return Array(state.handlers.values)
    }
    for handler in handlers { handler.eventLoop.execute { handler.value.stop() } }
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.handlers.isEmpty { state.waiting.append(continuation) }
        return state.handlers.isEmpty
      }
      if isOver { continuation.resume() }
    }
  }
}
