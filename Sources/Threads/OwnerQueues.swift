/// Runs work that blocks, away from the threads of tasks.
public protocol WorkQueue: Sendable {
  func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result
}

extension BlockingWork: WorkQueue {}

/// A few threads for work that blocks, shared fairly among owners. Of each owner one piece of work at a time is with a
/// thread: an owner with a thousand pieces waits for itself, and delays each other owner by one piece at a time.
public struct OwnerQueues<Owner: Hashable & Sendable>: Sendable {
  private let threads: [BlockingWork]
  private let turns = Turns<Owner>()

  public init(threads count: Int, name: String) { threads = (0..<count).map { _ in BlockingWork(name: name) } }

  public subscript(owner: Owner) -> some WorkQueue {
    let index = Int(UInt(bitPattern: owner.hashValue) % UInt(threads.count))
    return OwnerQueue(thread: threads[index], turns: turns, owner: owner)
  }

  private struct OwnerQueue: WorkQueue {
    let thread: BlockingWork
    let turns: Turns<Owner>
    let owner: Owner

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
      await turns.take(owner)
      defer { turns.pass(owner) }
      return try await thread.run(body)
    }
  }
}

/// Lets through one task at a time for each key, in the order in which they came.
public final class Turns<Key: Hashable & Sendable>: Sendable {
  /// Who waits behind the one whose turn it is.
  private let waiting = Locked<[Key: [CheckedContinuation<Void, Never>]]>([:])

  public init() {}

  /// Waits until the tasks that came before, for the same key, have called `pass`. Cancellation does not end the wait.
  public func take(_ key: Key) async {
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

  /// Ends the turn of the task that called `take`.
  public func pass(_ key: Key) {
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
