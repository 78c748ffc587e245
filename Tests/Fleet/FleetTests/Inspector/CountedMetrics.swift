import Metrics
import TesseraThreads

/// Counters by their label and dimensions, for example `reads{mode=remote}`. Everything else is not kept.
final class CountedMetrics: MetricsFactory {
  private let counts = Locked<[String: Int64]>([:])
  private let onMeter: @Sendable () -> Void

  /// - Parameter onMeter: called whenever a meter is set.
  init(onMeter: @escaping @Sendable () -> Void = {}) { self.onMeter = onMeter }

  func count(_ name: String) -> Int64 { counts.withLock { $0[name] ?? 0 } }

  /// Of `tessera_fleet_errors_total`.
  func errors(_ code: String) -> Int64 { count("tessera_fleet_errors_total{code=\(code)}") }

  private final class Counter: CounterHandler {
    let name: String
    let counts: Locked<[String: Int64]>

    init(_ name: String, _ counts: Locked<[String: Int64]>) { (self.name, self.counts) = (name, counts) }

    func increment(by amount: Int64) { counts.withLock { $0[name, default: 0] += amount } }

    func reset() { counts.withLock { $0[name] = nil } }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Counter("\(label){\(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: ","))}", counts)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    onMeter()
    return NOOPMetricsHandler.instance
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    NOOPMetricsHandler.instance
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
