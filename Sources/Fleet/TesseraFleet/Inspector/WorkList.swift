internal import TesseraThreads

/// Tasks that answer desks, so that they can be cancelled together. Their number is bounded, for one desk and for all:
/// each holds a message.
final class WorkList: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var countByDesk: [DeskName: Int] = [:]
    var last = 0
  }
  private let state = Locked(State())
  private let limits: FleetLimits

  init(_ limits: FleetLimits) { self.limits = limits }

  /// - Returns: whether there was room for it.
  func begin(of desk: DeskName, _ body: @escaping @Sendable () async -> Void) -> Bool {
    state.withLock { state in
      // A request may be repeated while it is under way, and a read begun again.
      guard state.tasks.count < 2 * limits.reads, state.countByDesk[desk, default: 0] < 2 * limits.readsPerDesk else {
        return false
      }
      state.last += 1
      let number = state.last
      state.countByDesk[desk, default: 0] += 1
      // The task cannot remove itself before it is added: removing needs the lock.
      state.tasks[number] = Task {
        await body()
        self.state.withLock { Self.remove(number, desk, &$0) }
      }
      return true
    }
  }

  private static func remove(_ number: Int, _ desk: DeskName, _ state: inout State) {
    state.tasks[number] = nil
    let count = (state.countByDesk[desk] ?? 1) - 1
    state.countByDesk[desk] = count > 0 ? count : nil
  }

  /// Cancels all tasks and waits for their end.
  func cancelAll() async {
    let tasks = state.withLock { Array($0.tasks.values) }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
