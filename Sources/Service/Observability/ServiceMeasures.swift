import Bridge
import Metrics
import NIOCore

/// What the service counts. Labels come from closed lists only: domains, codes, kinds of callers.
struct ServiceMeasures: Sendable {
  private let factory: (any MetricsFactory)?

  /// - Parameter factory: nil where nobody will look.
  init(_ factory: (any MetricsFactory)?) { self.factory = factory }

  func connectionOpened(_ caller: BridgeCaller) { open(caller)?.increment(by: 1) }

  func connectionClosed(_ caller: BridgeCaller, _ reason: ClosingReason?) {
    open(caller)?.decrement(by: 1)
    count("tessera_connections_closed_total", ("reason", reason?.rawValue ?? "CLIENT"))
  }

  func refusedConnection(_ reason: String) { count("tessera_connections_refused_total", ("reason", reason)) }

  func dropped() { count("tessera_messages_dropped_total") }

  func refused(_ domain: BridgeDomain, _ code: String) {
    count("tessera_requests_refused_total", ("domain", domain.rawValue), ("code", code))
  }

  func answered(_ domain: BridgeDomain, _ outcome: Result<JSONValue, BridgeError>, in time: TimeAmount) {
    guard let factory else { return }
    let code = if case .failure(let error) = outcome { error.code } else { "OK" }
    count("tessera_requests_total", ("domain", domain.rawValue), ("code", code))
    Timer(label: "tessera_request_seconds", dimensions: [("domain", domain.rawValue)], factory: factory)
      .recordNanoseconds(time.nanoseconds)
  }

  private func count(_ label: String, _ dimensions: (String, String)...) {
    guard let factory else { return }
    Counter(label: label, dimensions: dimensions, factory: factory).increment()
  }

  private func open(_ caller: BridgeCaller) -> Meter? {
    guard let factory else { return nil }
    let kind = caller == .local ? "local" : "web"
    return Meter(label: "tessera_connections_open", dimensions: [("caller", kind)], factory: factory)
  }
}
