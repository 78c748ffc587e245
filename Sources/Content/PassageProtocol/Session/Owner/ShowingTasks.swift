/// What goes on in the background of a showing. What it finds out too late is nothing for the next showing.
@MainActor
package final class ShowingTasks {
  private let handle: @MainActor (PassageInput) -> Void
  /// Those that end with the showing.
  private var ending: [Int: Task<Void, Never>] = [:]
  /// Those that go on; those of an earlier showing, too.
  private var lasting: [Int: Task<Void, Never>] = [:]
  private var last = 0
  /// Changes when a showing ends.
  private var showing = 0

  /// - Parameter handle: passes what a task found out to the session.
  package init(_ handle: @escaping @MainActor (PassageInput) -> Void) { self.handle = handle }

  /// Runs work that ends with the showing.
  @discardableResult
  package func run(_ work: @escaping @MainActor () async -> PassageInput?) -> Task<Void, Never> {
    start(work, in: \.ending)
  }

  /// Runs work that goes on when the showing has ended: `finish(within:)` waits for it.
  @discardableResult
  package func keep(_ work: @escaping @MainActor () async -> PassageInput?) -> Task<Void, Never> {
    start(work, in: \.lasting)
  }

  /// Ends the showing.
  package func end() {
    showing += 1
    for task in ending.values { task.cancel() }
    ending = [:]
  }

  /// Waits for what goes on.
  ///
  /// - Parameter limit: when it is cancelled.
  package func finish(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async {
    let tasks = lasting.values
    let timer = Task {
      guard (try? await clock.sleep(for: limit)) != nil else { return }
      for task in tasks { task.cancel() }
    }
    for task in tasks { await task.value }
    timer.cancel()
  }

  private func start(
    _ work: @escaping @MainActor () async -> PassageInput?,
    in group: ReferenceWritableKeyPath<ShowingTasks, [Int: Task<Void, Never>]>
  ) -> Task<Void, Never> {
    last += 1
    let (number, showing) = (last, showing)
    let task = Task { [weak self] in
      let input = await work()
      guard let self else { return }
      self[keyPath: group][number] = nil
      if let input, self.showing == showing { handle(input) }
    }
    self[keyPath: group][number] = task
    return task
  }
}
