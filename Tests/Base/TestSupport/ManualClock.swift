import Foundation
import TesseraThreads

/// A clock that a test moves. What waits for it, waits until the test lets the time pass.
public final class ManualClock: MonotonicClock {
  public typealias Instant = ContinuousClock.Instant

  private enum Waiter {
    case task(CheckedContinuation<Void, any Error>)
    /// A thread in `poll`, which the writing end of its pipe wakes up.
    case thread(FileHandle)
  }
  private struct State {
    var now = ContinuousClock.now
    var passes = false
    var waiting: [Int: (deadline: Instant, waiter: Waiter)] = [:]
    var cancelled: Set<Int> = []
    var waits: [Duration] = []
    var ends = 0

    mutating func begin(until deadline: Instant) -> Int {
      waits.append(now.duration(to: deadline))
      return waits.count
    }

    mutating func removeDue() -> [Waiter] {
      let due = waiting.filter { $0.value.deadline <= now }
      for number in due.keys { waiting[number] = nil }
      return due.values.map(\.waiter)
    }
  }
  private let state = Observed(State())

  /// - Parameter passes: Whether the time passes by itself: each wait is over at once, and it is then as late as if it had
  ///   lasted. A thread that waits for events as well handles them first.
  public init(passes: Bool = false) { state.withLock { $0.passes = passes } }

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .zero }

  // MARK: - What the test does

  /// Whether no wait is in progress.
  public var isIdle: Bool { state.withLock { $0.waiting.isEmpty } }
  /// The durations of all waits so far, as they were asked for.
  public var waits: [Duration] { state.withLock { $0.waits } }

  /// Lets time pass.
  ///
  /// - Returns: The number of waits that end with it.
  @discardableResult
  public func advance(by duration: Duration) -> Int {
    state.withLock { state in
      state.now += duration
      return wakeUp(&state)
    }
  }

  /// From now on the time passes by itself.
  public func pass() {
    state.withLock { state in
      state.passes = true
      state.now = max(state.now, state.waiting.values.map(\.deadline).max() ?? state.now)
      _ = wakeUp(&state)
    }
  }

  /// Waits until something waits for exactly this time from now, and lets it pass.
  public func advance(
    whenAwaited duration: Duration, fileID: String = #fileID, line: Int = #line
  ) async throws {
    try await until("A wait of \(duration)", fileID, line) { state in
      state.waiting.values.contains { $0.deadline == state.now + duration }
    }
    advance(by: duration)
  }

  /// Waits until this many waits have begun, and one of them is in progress.
  public func waits(_ count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await until("Wait \(count)", fileID, line) { $0.waits.count >= count && !$0.waiting.isEmpty }
  }

  /// Waits until this many waits have ended.
  public func ends(_ count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await until("The end of \(count) waits", fileID, line) { $0.ends >= count }
  }

  private func until(
    _ what: String, _ fileID: String, _ line: Int, _ condition: @escaping @Sendable (State) -> Bool
  ) async throws {
    guard await !state.becomes(within: .seconds(600), condition) else { return }
    let contents = state.withLock { "\($0.waits.count) waits, \($0.ends) ends, \($0.waiting.count) in progress" }
    throw WaitedInVain("\(what) (\(contents))", fileID: fileID, line: line)
  }

  private func wakeUp(_ state: inout State) -> Int {
    let due = state.removeDue()
    for waiter in due {
      switch waiter {
      case .task(let continuation): continuation.resume()
      case .thread(let pipe): try? pipe.write(contentsOf: [0])
      }
    }
    return due.count
  }

  // MARK: - What waits

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    defer { state.withLock { $0.ends += 1 } }
    try Task.checkCancellation()
    let number = state.withLock { $0.begin(until: deadline) }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        state.withLock { state in
          if state.passes { state.now = max(state.now, deadline) }
          if state.cancelled.remove(number) != nil {
            continuation.resume(throwing: CancellationError())
          } else if deadline <= state.now {
            continuation.resume()
          } else {
            state.waiting[number] = (deadline, .task(continuation))
          }
        }
      }
    } onCancel: {
      state.withLock { state in
        if case .task(let continuation) = state.waiting.removeValue(forKey: number)?.waiter {
          continuation.resume(throwing: CancellationError())
        } else {
          state.cancelled.insert(number)
        }
      }
    }
  }

  public func poll(_ descriptors: inout [pollfd], until deadline: Instant?) -> Int32 {
    guard let deadline else { return Glibc.poll(&descriptors, nfds_t(descriptors.count), -1) }
    let number = state.withLock { $0.begin(until: deadline) }
    defer { state.withLock { $0.ends += 1 } }
    let events = Glibc.poll(&descriptors, nfds_t(descriptors.count), 0)
    guard events == 0 else { return events }
    let pipe = Pipe()
    let isOver = state.withLock { state in
      if state.passes { state.now = max(state.now, deadline) }
      if deadline > state.now { state.waiting[number] = (deadline, .thread(pipe.fileHandleForWriting)) }
      return deadline <= state.now
    }
    guard !isOver else { return 0 }
    defer { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
    var all = descriptors + [pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)]
    let result = Glibc.poll(&all, nfds_t(all.count), -1)
    descriptors = Array(all.dropLast())
    return result < 0 ? result : Int32(descriptors.count { $0.revents != 0 })
  }
}
