internal import PassageProtocol

/// The timers of a session.
@MainActor
final class EngineTimers {
  private let fire: @MainActor (PassageTimer) -> Void
  private var tasks: [PassageTimer: Task<Void, Never>] = [:]

  init(_ fire: @escaping @MainActor (PassageTimer) -> Void) { self.fire = fire }

  func start(_ timer: PassageTimer, after time: Duration) {
    tasks[timer]?.cancel()
    tasks[timer] = Task { [weak self] in
      guard (try? await Task.sleep(for: time)) != nil, !Task.isCancelled, let self else { return }
      tasks[timer] = nil
      fire(timer)
    }
  }

  func cancel(_ timer: PassageTimer) { tasks.removeValue(forKey: timer)?.cancel() }

  func cancelAll() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }
}
