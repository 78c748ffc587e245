import TesseraThreads

/// Follows the load of a page from stage to stage, and tells the host each one.
@MainActor
package final class LoadWatch {
  /// How long a page may load until it is slow, and until its load has failed. Both times count from the beginning of the
  /// load. (The mobile SDK's timers start anew at each stage, so that its load fails after 13 seconds.)
  package static let slowAfter = Duration.seconds(3)
  package static let failedAfter = Duration.seconds(10)

  /// nil before the first load.
  package private(set) var stage: LoadStage?
  /// Whether a document of the present load is shown. Its images and scripts may still be missing.
  package private(set) var isPageShown = false
  private let source: LoadProblem.Source
  private let clock: any MonotonicClock
  private let report: @MainActor (LoadProgress) -> Void
  private var timer: Task<Void, Never>?

  /// - Parameter report: receives each stage once.
  package init(
    _ source: LoadProblem.Source, clock: any MonotonicClock = ContinuousClock(),
    report: @escaping @MainActor (LoadProgress) -> Void
  ) {
    self.source = source
    self.clock = clock
    self.report = report
  }

  /// Whether the page may still become ready.
  package var isLoading: Bool { stage == .loading || stage == .slow }

  /// A load begins: the first one, or one more.
  package func begin() {
    isPageShown = false
    enter(.loading)
    let begin = clock.now
    timer = Task { [weak self, clock] in
      do {
        try await clock.sleep(until: begin + Self.slowAfter, tolerance: nil)
        self?.passed(.slow)
        try await clock.sleep(until: begin + Self.failedAfter, tolerance: nil)
        self?.passed(.failed)
      } catch {}
    }
  }

  /// A document of the page has arrived. From now on the user sees the page, and judges it.
  package func arrived() { isPageShown = true }

  /// The page says that it is ready. After a failure this has no effect, as in the mobile SDK, although a page that is only
  /// late is shown.
  package func ready() {
    if isLoading { enter(.ready) }
  }

  /// The page could not be loaded, or its process has ended. Other late errors than the end of the process have no effect.
  package func failed(_ detail: JSONObject, isEndOfProcess: Bool) {
    guard isLoading || (isEndOfProcess && stage == .ready) else { return }
    isPageShown = false
    enter(.failed, LoadProblem(.loadError, source, detail: detail))
  }

  /// The page sent a request of another version.
  package func mismatched(_ mismatch: VersionMismatch) {
    guard isLoading else { return }
    isPageShown = false
    enter(.versionMismatch, LoadProblem(mismatch, source))
  }

  /// The launch has ended.
  package func end() {
    timer?.cancel()
    timer = nil
  }

  private func passed(_ stage: LoadStage) {
    guard isLoading, !Task.isCancelled else { return }
    if stage == .slow { return progressed(to: .slow) }
    enter(.failed, LoadProblem(.timeout, source))
  }

  /// A stage that ends the present timer.
  private func enter(_ stage: LoadStage, _ problem: LoadProblem? = nil) {
    end()
    progressed(to: stage, problem)
  }

  private func progressed(to stage: LoadStage, _ problem: LoadProblem? = nil) {
    self.stage = stage
    report(LoadProgress(stage, problem, isPageShown: isPageShown))
  }
}
