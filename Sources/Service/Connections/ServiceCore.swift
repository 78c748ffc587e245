import Bridge
import Logging

/// What all connections of a service share.
struct ServiceCore: Sendable {
  let router: MessageRouter
  let grants: Grants
  let limits: ServiceLimits
  let logger: Logger
  let measures: ServiceMeasures
  let admission: Admission
  let rate: RequestRate
  let connections = OpenConnections()

  init(router: MessageRouter, grants: Grants, limits: ServiceLimits, logger: Logger, measures: ServiceMeasures) {
    self.router = router
    self.grants = grants
    self.limits = limits
    self.logger = logger
    self.measures = measures
    admission = Admission(limits)
    rate = RequestRate(limits)
  }
}
