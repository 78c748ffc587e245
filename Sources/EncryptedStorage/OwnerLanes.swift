import Threads

/// Where work that blocks is done.
protocol Lane: Sendable {
  func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result
}

extension BlockingWork: Lane {}

/// Some threads for work that blocks, of which every owner has one. Several owners have the same one, and each of them one
/// piece of work there at a time: an owner who asks for much waits for itself, and others for a piece of it at most.
struct OwnerLanes: Sendable {
  private let lanes: [BlockingWork]
  private let turns = Turns<EntryOwner>()

  init(_ count: Int, name: String) { lanes = (0..<count).map { _ in BlockingWork(name: name) } }

  subscript(owner: EntryOwner) -> some Lane {
    OwnerLane(work: lanes[Int(UInt(bitPattern: owner.hashValue) % UInt(lanes.count))], turns: turns, owner: owner)
  }

  private struct OwnerLane: Lane {
    let work: BlockingWork
    let turns: Turns<EntryOwner>
    let owner: EntryOwner

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
      await turns.take(owner)
      defer { turns.pass(owner) }
      return try await work.run(body)
    }
  }
}

/// Of each key one at a time, in the order in which they came.
final class Turns<Key: Hashable & Sendable>: Sendable {
  /// Who waits behind the one whose turn it is.
  private let waiting = Locked<[Key: [CheckedContinuation<Void, Never>]]>([:])

  func take(_ key: Key) async {
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

  func pass(_ key: Key) {
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
