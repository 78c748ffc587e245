package import Metrics
import TesseraThreads

/// Metrics of this process in the Prometheus text exposition format, version 0.0.4.
///
/// Tessera implements this format because the swift-metrics backend for Prometheus is not among the package's
/// dependencies. Timers become histograms in seconds. Label values come from this program only, so only quotes and
/// backslashes are escaped.
package final class PrometheusMetrics: MetricsFactory {
  private struct Series: Hashable {
    let name: String
    let labels: String
  }
  private let series = Locked<[Series: any PrometheusSeries]>([:])
  private let sources = Locked<[@Sendable () async -> [(name: String, value: Double)]]>([])

  package init() {}

  /// Adds gauges that are found out only when somebody wants the page: nothing wakes up for them. A value that is not known
  /// is not a number.
  package func collect(_ source: @escaping @Sendable () async -> [(name: String, value: Double)]) {
    sources.withLock { $0.append(source) }
  }

  /// The text with the values that `collect` has added.
  package func page() async -> String {
    for source in sources.withLock({ $0 }) {
      for (name, value) in await source() { makeMeter(label: name, dimensions: []).set(value) }
    }
    return text
  }

  /// All series, in alphabetical order.
  package var text: String {
    let all = series.withLock { $0 }.sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }
    var page = ""
    var last = ""
    for (key, value) in all {
      if key.name != last { page += "# TYPE \(key.name) \(value.type)\n" }
      last = key.name
      for line in value.lines {
        page += "\(key.name)\(line.suffix)\(Self.braces(key.labels, line.label)) \(line.value)\n"
      }
    }
    return page
  }

  private static func braces(_ labels: String, _ label: String?) -> String {
    let all = [labels, label ?? ""].filter { !$0.isEmpty }.joined(separator: ",")
    return all.isEmpty ? "" : "{\(all)}"
  }

  private func find<Kind: PrometheusSeries>(
    _ label: String, _ dimensions: [(String, String)], _ make: @Sendable () -> Kind
  ) -> Kind {
    let labels = dimensions.map { "\($0)=\"\($1.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
    let key = Series(name: label, labels: labels.joined(separator: ","))
    return series.withLock { series in
      if let found = series[key] as? Kind { return found }
      let made = make()
      series[key] = made
      return made
    }
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    find(label, dimensions) { PrometheusCounter() }
  }
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, dimensions) { PrometheusGauge() }
  }
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, dimensions) { PrometheusHistogram() }
  }
  package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    find(label, dimensions) { PrometheusHistogram() }
  }
  // Series are never removed: a counter that restarts at zero would falsify rates.
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
}

/// The values of one metric with one set of labels.
private protocol PrometheusSeries: Sendable {
  var type: String { get }
  var lines: [(suffix: String, label: String?, value: String)] { get }
}

private final class PrometheusCounter: CounterHandler, PrometheusSeries {
  private let count = Locked<Int64>(0)
  let type = "counter"
  var lines: [(suffix: String, label: String?, value: String)] { [("", nil, String(count.withLock { $0 }))] }
  func increment(by amount: Int64) { count.withLock { $0 &+= amount } }
  func reset() { count.withLock { $0 = 0 } }
}

private final class PrometheusGauge: MeterHandler, PrometheusSeries {
  private let value = Locked<Double>(0)
  let type = "gauge"
  var lines: [(suffix: String, label: String?, value: String)] { [("", nil, Self.text(value.withLock { $0 }))] }
  private static func text(_ value: Double) -> String { value.isNaN ? "NaN" : value.description }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
}

private final class PrometheusHistogram: TimerHandler, RecorderHandler, PrometheusSeries {
  /// Upper bounds in seconds: from a response without input or output up to a scan that waits for its document.
  private static let bounds = [0.0001, 0.001, 0.01, 0.1, 1, 10, 120]
  private struct State {
    var counts = [Int](repeating: 0, count: PrometheusHistogram.bounds.count)
    var count = 0
    var sum = 0.0
  }
  private let state = Locked(State())
  let type = "histogram"

  var lines: [(suffix: String, label: String?, value: String)] {
    let state = state.withLock { $0 }
    let buckets = zip(Self.bounds, state.counts).map { ("_bucket", "le=\"\($0)\"", String($1)) }
    return buckets + [
      ("_bucket", "le=\"+Inf\"", String(state.count)), ("_sum", nil, state.sum.description),
      ("_count", nil, String(state.count)),
    ]
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    state.withLock { state in
      for (index, bound) in Self.bounds.enumerated() where value <= bound { state.counts[index] += 1 }
      state.count += 1
      state.sum += value
    }
  }
}
