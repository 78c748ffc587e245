/// What a session says to do, in its order. Something can hold up what follows, but not for ever.
@MainActor
package final class EffectQueue {
  private let tasks: ShowingTasks
  private let limit: Duration
  private let clock: any Clock<Duration>
  private let perform: @MainActor (PassageEffect) -> Void
  private var effects: [PassageEffect] = []
  private var isPerforming = false
  /// The number of the work that the effects wait for.
  private var awaited: Int?
  /// The number of the last work, and what ends it at the limit, as long as it runs.
  private var running: (work: Int, timer: Task<Void, Never>)?
  private var lastWork = 0

  /// - Parameters:
  ///   - tasks: runs the work that effects wait for.
  ///   - limit: how long the effects wait.
  ///   - perform: does one effect. It may add others.
  package init(
    _ tasks: ShowingTasks, waitingAtMost limit: Duration, clock: any Clock<Duration> = ContinuousClock(),
    perform: @escaping @MainActor (PassageEffect) -> Void
  ) {
    self.tasks = tasks
    self.limit = limit
    self.clock = clock
    self.perform = perform
  }

  /// Does the effects when those before them are done. The window closes at once: then nothing is waited for.
  package func add(_ more: [PassageEffect]) {
    if awaited != nil, more.contains(where: \.closes) {
      awaited = nil
      dropLoads()
    }
    effects += more
    performNext()
  }

  /// Forgets what is still to do, at the end of a showing. The next one waits for work that goes on: it has its pages
  /// after that.
  package func removeAll() {
    effects = []
    awaited = running?.work
  }

  /// Does something before the following effects. It goes on when the showing ends, and is cancelled at the limit.
  ///
  /// - Parameter work: says whether it is done. If not, or not in time, no page is loaded.
  package func performBeforeOthers(_ work: @escaping @MainActor () async -> Bool) {
    lastWork += 1
    let number = lastWork
    awaited = number
    let task = tasks.keep { [weak self] in
      let isDone = await work()
      self?.ended(number, isDone: isDone)
      return nil
    }
    let timer = Task { [weak self, clock, limit] in
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      task.cancel()
      self?.ended(number, isDone: false)
    }
    running = (number, timer)
  }

  private func performNext() {
    guard !isPerforming else { return }
    isPerforming = true
    defer { isPerforming = false }
    while awaited == nil, !effects.isEmpty { perform(effects.removeFirst()) }
  }

  private func ended(_ work: Int, isDone: Bool) {
    if let running, running.work == work {
      running.timer.cancel()
      self.running = nil
    }
    guard awaited == work else { return }
    awaited = nil
    if !isDone { dropLoads() }
    performNext()
  }

  /// What was to be loaded is not, and its time limit says so: it would meet what was to be removed before.
  private func dropLoads() { effects.removeAll(where: \.loads) }
}

extension PassageEffect {
  /// Whether the user no longer sees the window.
  fileprivate var closes: Bool {
    switch self {
    case .dismiss, .end: true
    default: false
    }
  }

  fileprivate var loads: Bool {
    switch self {
    case .load, .reload, .goBack, .goForward, .recreate, .run, .showWebsite, .preloadWebsite: true
    default: false
    }
  }
}
