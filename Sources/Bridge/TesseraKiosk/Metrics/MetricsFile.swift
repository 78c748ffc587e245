internal import TesseraCore
internal import TesseraDurableFiles
package import TesseraMetrics
package import TesseraThreads

/// The metrics of a kiosk in a file, which the textfile collector of Prometheus' node_exporter reads: the kiosk itself
/// listens to nobody. Readers see the old text or the new one, and nothing between.
///
/// The file is written at the start, after each change at most once a second, and once a minute, so that its time says that
/// the kiosk runs. Nothing else wakes up. A file that cannot be written disturbs nobody: the log says it once.
package final class MetricsFile: Sendable {
  /// node_exporter reads no file with another ending.
  package static let ending = ".prom"

  static let shortest = Duration.seconds(1)
  static let longest = Duration.seconds(60)

  private struct State {
    var hasNews = false
    var pause: Task<Void, Never>?
    /// Whether the log has said that the file cannot be written.
    var isTold = false
  }
  private let file: PublishedFile
  private let metrics: PrometheusMetrics
  private let clock: any MonotonicClock
  private let log: @Sendable (String) -> Void
  private let state = Locked(State())
  private let work = BlockingWork(name: "kiosk-metrics")

  /// - Parameter log: receives a sentence for the operator.
  package init(
    path: String, metrics: PrometheusMetrics, clock: any MonotonicClock = ContinuousClock(),
    log: @escaping @Sendable (String) -> Void
  ) {
    file = PublishedFile(path: path)
    self.metrics = metrics
    self.clock = clock
    self.log = log
  }

  /// Something is to be written. Returns at once.
  package func changed() {
    let pause = state.withLock { state in
      state.hasNews = true
      return state.pause
    }
    pause?.cancel()
  }

  /// Writes until the task is cancelled. Called once. Not on the main actor, whose timers are those of Dispatch.
  @concurrent
  package func run() async {
    try? await work.run { [file] in file.removeLeftovers() }
    while !Task.isCancelled {
      state.withLock { $0.hasNews = false }
      await write()
      let written = clock.now
      await rest()
      let left = Self.shortest - written.duration(to: clock.now)
      if left > .zero { _ = try? await clock.sleep(for: left) }
    }
  }

  /// Writes the figures of this moment.
  package func write() async {
    let text = await metrics.page()
    do {
      try await work.run { [file] in try file.write(Array(text.utf8)) }
      state.withLock { $0.isTold = false }
    } catch {
      let isTold = state.withLock { state in
        defer { state.isTold = true }
        return state.isTold
      }
      if !isTold { log("The metrics are not written: \(Failure(error).description)") }
    }
  }

  /// Ends with the next change.
  private func rest() async {
    let pause = state.withLock { state -> Task<Void, Never>? in
      guard !state.hasNews else { return nil }
      let pause = Task { [clock] in _ = try? await clock.sleep(for: Self.longest) }
      state.pause = pause
      return pause
    }
    guard let pause else { return }
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    state.withLock { $0.pause = nil }
  }
}
