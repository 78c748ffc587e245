import Bridge
import Logging
import Threads

/// What all connections of a service share.
struct ServiceCore: Sendable {
  let router: MessageRouter
  let grants: Grants
  let limits: ServiceLimits
  let logger: Logger
  let measures: ServiceMeasures
  let admission: Admission
  let handshakes: WaitingHandshakes
  let unread: UnreadAnswers
  let rate: RequestRate
  let connections = OpenConnections()
  let loop = LoopLifetime()
  let told = ToldOnce()

  init(router: MessageRouter, grants: Grants, limits: ServiceLimits, logger: Logger, measures: ServiceMeasures) {
    self.router = router
    self.grants = grants
    self.limits = limits
    self.logger = logger
    self.measures = measures
    let memory = IdleMemory()
    admission = Admission(limits, memory)
    handshakes = WaitingHandshakes(limit: limits.handshakes)
    unread = UnreadAnswers(limits, memory)
    rate = RequestRate(limits)
  }
}

/// What anybody can bring about again and again is told once, and after that to those only who want to know everything.
final class ToldOnce: Sendable {
  /// Pages can come from any number of origins.
  private static let most = 1_000
  private let reasons = Locked<Set<String>>([])

  func level(_ reason: String, _ first: Logger.Level) -> Logger.Level {
    reasons.withLock { $0.count < Self.most && $0.insert(reason).inserted } ? first : .debug
  }
}
