import Logging
import TesseraBridge
import TesseraThreads

/// The state that all connections of a service share.
final class ServiceCore: Sendable {
  let router: MessageRouter
  let grants: Grants
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
    router: MessageRouter, grants: Grants, page: ServicePage? = nil, limits: ServiceLimits,
    admitsSandboxes: Bool = false, logger: Logger, measures: ServiceMeasures
  ) {
    self.router = router
    self.grants = grants
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
