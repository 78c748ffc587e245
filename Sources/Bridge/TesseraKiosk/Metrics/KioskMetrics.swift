internal import Metrics
package import TesseraBridge
internal import TesseraMetrics
package import TesseraThreads

/// What a kiosk counts, and the file of its figures. Labels have fixed values only, and nothing of a document.
package final class KioskMetrics: Sendable {
  private let page = PrometheusMetrics()
  private let file: MetricsFile
  private let devices: DeviceFigures
  private let verdicts: VerdictCounter
  private let stored: Counter
  private let delivered: Counter
  private let lost: Counter

  /// - Parameters:
  ///   - path: the file.
  ///   - registry: the devices of the kiosk.
  ///   - log: receives sentences for the operator.
  package init(
    path: String, registry: SdkProviderRegistry, clock: any MonotonicClock = ContinuousClock(),
    log: @escaping @Sendable (String) -> Void
  ) {
    file = MetricsFile(path: path, metrics: page, clock: clock, log: log)
    verdicts = VerdictCounter(page)
    verdicts.begin(.passport)
    (stored, delivered, lost) = (
      Counter(label: "tessera_results_stored_total", factory: page),
      Counter(label: "tessera_results_delivered_total", factory: page),
      Counter(label: "tessera_results_lost_total", factory: page)
    )
    let devices = DeviceFigures(registry)
    self.devices = devices
    page.collect { await devices.gauges() }
    for counter in [stored, delivered, lost] { counter.increment(by: 0) }
    Self.restarts("WEB_PROCESS_TERMINATED", page).increment(by: 0)
  }

  /// Adds gauges that are found out when the file is written. A value that is not known is not a number.
  package func collect(_ source: @escaping @Sendable () async -> [(name: String, value: Double)]) {
    page.collect(source)
  }

  /// Writes the file until the task is cancelled.
  package func run() async {
    await withTaskGroup { group in
      group.addTask { await self.file.run() }
      group.addTask { await self.devices.followCameras { self.file.changed() } }
    }
  }

  /// Writes the file once more.
  package func write() async { await file.write() }

  /// The readers are these now.
  package func hasReaders(_ count: Int) {
    devices.hasReaders(count)
    file.changed()
  }

  /// The page was loaded anew.
  ///
  /// - Parameter code: why: one of this program's own.
  package func restartedPage(_ code: String) {
    Self.restarts(code, page).increment()
    file.changed()
  }

  /// A document or a seal was read.
  func judged(_ outcome: String?, _ document: VerdictCounter.Document) {
    verdicts.count(outcome, of: document)
    devices.mayHaveChanged()
    file.changed()
  }

  func storedResult() { count(stored) }
  func deliveredResult() { count(delivered) }
  func lostResults(_ number: Int) { count(lost, number) }

  /// A result waits.
  func changed() { file.changed() }

  private func count(_ counter: Counter, _ number: Int = 1) {
    counter.increment(by: number)
    file.changed()
  }

  private static func restarts(_ code: String, _ factory: any MetricsFactory) -> Counter {
    Counter(label: "tessera_page_restarts_total", dimensions: [("code", code)], factory: factory)
  }
}

/// Another provider, each of whose verdicts is counted.
package struct CountingSealProvider: CameraSealProvider {
  private let inner: any CameraSealProvider
  private let metrics: KioskMetrics

  package init(_ inner: any CameraSealProvider, _ metrics: KioskMetrics) {
    self.inner = inner
    self.metrics = metrics
  }

  package func scanSeal(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (SealDetectionState) -> Void
  ) async throws -> JSONObject {
    let report = try await inner.scanSeal(request, onProgress: onProgress)
    metrics.judged(report["outcome"]?.stringValue, .seal)
    return report
  }
}

extension GuestBook {
  /// The figures of this moment; not a number if the folder of the results cannot be read.
  package func gauges() async -> [(name: String, value: Double)] {
    var gauges: [(name: String, value: Double)] = []
    if settings.destination != nil { gauges.append(("tessera_results_not_stored", Double(open.withLock(\.count)))) }
    if let outbox {
      let counts = try? await BlockingWork(name: "kiosk-outbox").run { try outbox.counts() }
      gauges.append(("tessera_results_waiting", counts.map { Double($0.own) } ?? .nan))
      gauges.append(("tessera_results_for_other_addresses", counts.map { Double($0.others) } ?? .nan))
    }
    if let clock = settings.clock { gauges.append(("tessera_clock_right", clock.isRight() ? 1 : 0)) }
    return gauges
  }
}
