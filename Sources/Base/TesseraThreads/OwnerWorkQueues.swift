/// Runs calls that block outside of the threads that run tasks.
package protocol WorkQueue: Sendable {
  func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result
}

extension BlockingWork: WorkQueue {}

/// A few threads for calls that block, shared fairly among owners. Each owner has at most one call in progress: an
/// owner with a thousand calls delays every other owner by one call at a time.
package struct OwnerWorkQueues<Owner: Hashable & Sendable>: Sendable {
  private let threads: [BlockingWork]
  private let turns = KeyedMutex<Owner>()

  package init(threads count: Int, name: String) { threads = (0..<count).map { _ in BlockingWork(name: name) } }

  package subscript(owner: Owner) -> some WorkQueue {
    let index = Int(UInt(bitPattern: owner.hashValue) % UInt(threads.count))
    return OwnerQueue(thread: threads[index], turns: turns, owner: owner)
  }

  private struct OwnerQueue: WorkQueue {
    let thread: BlockingWork
    let turns: KeyedMutex<Owner>
    let owner: Owner

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
      await turns.lock(owner)
      defer { turns.unlock(owner) }
      return try await thread.run(body)
    }
  }
}

/// An asynchronous mutex for each key. Tasks obtain it in the order in which they asked for it.
package final class KeyedMutex<Key: Hashable & Sendable>: Sendable {
  /// The tasks that wait; an empty list if the mutex is locked and no task waits.
  private let waiting = Locked<[Key: [CheckedContinuation<Void, Never>]]>([:])

  package init() {}

  /// Locks the mutex, and waits while another task has it. Cancellation does not end the wait.
  package func lock(_ key: Key) async {
    await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { waiting in
        guard waiting[key] != nil else {
          waiting[key] = []
          return true
        }
        waiting[key]?.append(continuation)
        return false
      }
      if isFirst { continuation.resume() }
    }
  }

  /// Unlocks the mutex, which must be locked by the caller.
  package func unlock(_ key: Key) {
    let next = waiting.withLock { waiting in
      guard waiting[key]?.isEmpty == false else {
        waiting[key] = nil
        return nil as CheckedContinuation<Void, Never>?
      }
      return waiting[key]?.removeFirst()
    }
    next?.resume()
  }
}

/// A thread for calls that block, such as file locks of other processes or long computations. It runs one call at a
/// time.
package actor BlockingWork {
  private nonisolated let executor: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package init(name: String) { executor = ThreadExecutor(name: name) }

  deinit { executor.stop() }

  package func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}
