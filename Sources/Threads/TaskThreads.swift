import Foundation
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) private import _Concurrency

/// Threads of our own for the tasks of a process that idles for months.
///
/// libdispatch, which runs tasks otherwise, counts the runnable threads of its pool each second from the first task on,
/// whatever the process does (`_dispatch_workq_monitor_pools`), and there is no way to tell it not to. These threads wait
/// until there is work.
///
/// The interface for it is not stable yet (SE-0505 will make it so); the toolchain is pinned, and
/// `ProgramTests.idle` fails where it has no effect.
public enum TaskThreads {
  /// To be called before the first task is begun that is not the main actor's.
  ///
  /// - Parameter count: how many threads there may be, at least four; the number of cores if that is more.
  public static func install(atLeast count: Int = 4) {
    Factory.threads.withLock { $0 = max($0, count) }
    _createExecutors(factory: Factory.self)
  }

  private struct Factory: ExecutorFactory {
    /// A task that blocks its thread for a moment (a small file) should not hold up all the others.
    static let threads = Locked(max(4, ProcessInfo.processInfo.activeProcessorCount))
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static let defaultExecutor: any TaskExecutor = TaskThreadPool(threads.withLock { $0 })
  }
}

/// One queue, and threads that are started when there is more to do than threads to do it.
///
/// `@unchecked Sendable`: the state is touched under the lock only.
private final class TaskThreadPool: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
  private struct Scheduled {
    let deadline: UInt64
    let job: UnownedJob
  }

  private let most: Int
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Idle threads wait here until there is work.
  private let work = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// One of them waits here, no longer than until the first deadline.
  private let timer = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  private var ready = JobQueue()
  /// The first deadline last.
  private var scheduled: [Scheduled] = []
  private var threads = 0
  private var idle = 0
  private var hasTimer = false

  init(_ most: Int) {
    self.most = most
    pthread_mutex_init(lock, nil)
    pthread_cond_init(work, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(timer, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  // MARK: - What the runtime asks for

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(lock)
    ready.append(job)
    wakeOne()
    pthread_mutex_unlock(lock)
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
  ) {
    if let delay = delay as? Duration {
      schedule(UnownedJob(job), after: delay)
    } else {
      enqueue(job, at: clock.now.advanced(by: delay), tolerance: tolerance, clock: clock)
    }
  }

  func enqueue<C: Clock>(
    _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
  ) {
    if let delay = clock.now.duration(to: instant) as? Duration {
      schedule(UnownedJob(job), after: delay)
    } else if let platform = PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor {
      // A clock that does not count seconds.
      platform.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
    } else {
      enqueue(job)
    }
  }

  private func schedule(_ job: UnownedJob, after delay: Duration) {
    let wait = max(0, min(delay / .nanoseconds(1), 0x1p62))
    let deadline = Self.now() + UInt64(wait)
    pthread_mutex_lock(lock)
    var (low, high) = (0, scheduled.count)
    while low < high {
      let middle = (low + high) / 2
      if scheduled[middle].deadline > deadline { low = middle + 1 } else { high = middle }
    }
    scheduled.insert(Scheduled(deadline: deadline, job: job), at: low)
    if low == scheduled.count - 1 { wakeForTimer() }
    pthread_mutex_unlock(lock)
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  // MARK: - Under the lock

  private func wakeOne() {
    if idle > 0 {
      pthread_cond_signal(work)
    } else if hasTimer {
      pthread_cond_signal(timer)
    } else if threads < most {
      startThread()
    }
  }

  private func wakeForTimer() {
    if hasTimer {
      pthread_cond_signal(timer)
    } else if idle > 0 {
      pthread_cond_signal(work)
    } else if threads < most {
      startThread()
    }
  }

  private func startThread() {
    threads += 1
    let thread = Thread { [self] in run() }
    thread.name = "task \(threads)"
    thread.start()
  }

  // MARK: - A thread

  private func run() {
    pthread_mutex_lock(lock)
    while true {
      takeDue()
      if let job = ready.popFirst() {
        // Somebody else sees to what is left, and to the deadlines.
        if !ready.isEmpty { wakeOne() } else if !scheduled.isEmpty, !hasTimer { wakeForTimer() }
        pthread_mutex_unlock(lock)
        job.runSynchronously(on: asUnownedTaskExecutor())
        pthread_mutex_lock(lock)
      } else if let next = scheduled.last, !hasTimer {
        hasTimer = true
        var time = timespec(
          tv_sec: Int(next.deadline / 1_000_000_000), tv_nsec: Int(next.deadline % 1_000_000_000))
        pthread_cond_timedwait(timer, lock, &time)
        hasTimer = false
      } else {
        idle += 1
        pthread_cond_wait(work, lock)
        idle -= 1
      }
    }
  }

  private func takeDue() {
    guard !scheduled.isEmpty else { return }
    let now = Self.now()
    while let next = scheduled.last, next.deadline <= now {
      ready.append(next.job)
      scheduled.removeLast()
    }
  }
}

/// First in, first out.
private struct JobQueue {
  private var incoming: [UnownedJob] = []
  /// The first one last.
  private var outgoing: [UnownedJob] = []

  var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

  mutating func append(_ job: UnownedJob) { incoming.append(job) }

  mutating func popFirst() -> UnownedJob? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming.removeAll(keepingCapacity: outgoing.count < 1_024)
    }
    return outgoing.popLast()
  }
}
