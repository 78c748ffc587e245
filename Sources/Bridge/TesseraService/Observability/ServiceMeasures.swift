import Metrics
import NIOCore
import TesseraBridge
import TesseraCore
internal import TesseraMetrics

/// The metrics of the service. Label values come from fixed sets only (domains, codes, kinds of callers), so that
/// clients cannot create series.
struct ServiceMeasures: Sendable {
  private let factory: (any MetricsFactory)?

  /// - Parameter factory: nil if metrics are not served.
  init(_ factory: (any MetricsFactory)?) { self.factory = factory }

  func connectionOpened(_ caller: Caller) { open(caller)?.increment(by: 1) }

  func connectionClosed(_ caller: Caller, _ reason: ClosingReason?) {
    open(caller)?.decrement(by: 1)
    count("tessera_connections_closed_total", ("reason", reason?.rawValue ?? "CLIENT"))
  }

  func refusedConnection(_ reason: String) { count("tessera_connections_refused_total", ("reason", reason)) }

  func dropped() { count("tessera_messages_dropped_total") }

  func refused(_ domain: BridgeDomain, _ code: String) {
    count("tessera_requests_refused_total", ("domain", domain.rawValue), ("code", code))
  }

  func answered(_ request: BridgeRequest, _ outcome: Result<JSONValue, BridgeError>, since begin: NIODeadline) {
    guard let factory else { return }
    let domain = request.domain
    if case .success(let answer) = outcome { judged(request, answer, factory) }
    let code = if case .failure(let error) = outcome { error.code } else { "OK" }
    count("tessera_requests_total", ("domain", domain.rawValue), ("code", code))
    Timer(label: "tessera_request_seconds", dimensions: [("domain", domain.rawValue)], factory: factory)
      .recordNanoseconds((NIODeadline.now() - begin).nanoseconds)
  }

  /// Counts the verdict of a document or a seal, and nothing else of it.
  private func judged(_ request: BridgeRequest, _ answer: JSONValue, _ factory: any MetricsFactory) {
    let document: VerdictCounter.Document
    switch request.domain {
    case .nfc: document = .passport
    // A zone that was read is not judged.
    case .camera where request.method == "scanSeal": document = .seal
    default: return
    }
    VerdictCounter(factory).count(answer["outcome"]?.stringValue, of: document)
  }

  private func count(_ label: String, _ dimensions: (String, String)...) {
    guard let factory else { return }
    Counter(label: label, dimensions: dimensions, factory: factory).increment()
  }

  private func open(_ caller: Caller) -> Meter? {
    guard let factory else { return nil }
    let kind = caller == .local ? "local" : "web"
    return Meter(label: "tessera_connections_open", dimensions: [("caller", kind)], factory: factory)
  }
}
