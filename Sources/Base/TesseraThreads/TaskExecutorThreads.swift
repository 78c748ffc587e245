internal import CTesseraThreads
import FoundationEssentials
import Glibc
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) private import _Concurrency

/// The threads that run the tasks of a process that idles for months, instead of libdispatch's.
///
/// From the first task on, libdispatch wakes up every second to count the runnable threads of its pool
/// (`_dispatch_workq_monitor_pools`), and no setting prevents that. These threads wait until there is work.
///
/// The interface is not stable yet (SE-0505). The toolchain is pinned, and `ProgramTests.idle` fails if this type has
/// no effect.
package enum TaskExecutorThreads {
  /// Must be called before the first task outside of the main actor starts.
  ///
  /// - Parameter count: The maximum number of threads: at least four, and at least the number of cores.
  package static func install(atLeast count: Int = 4) {
    Factory.threads.withLock { $0 = max($0, count) }
    _createExecutors(factory: Factory.self)
  }

  private struct Factory: ExecutorFactory {
    /// At least four, so that a task that blocks its thread for a moment (a small file) does not block all others.
    static let threads = Locked(max(4, ProcessInfo.processInfo.activeProcessorCount))
    static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
    static let defaultExecutor: any TaskExecutor = TaskThreadPool(threads.withLock { $0 })
  }
}

/// One queue of jobs, and threads that are started on demand. Each thread waits on a semaphore of its own: whoever has work
/// chooses the thread, so that no wake-up can reach another one. The condition variables of glibc before 2.41, thus of
/// Debian 12, lose signals if several threads wait for one (https://sourceware.org/bugzilla/show_bug.cgi?id=25847).
///
/// A thread is woken after the lock was released: it would wake up only to wait for the lock.
///
/// `@unchecked Sendable`: the state is accessed under the lock only.
private final class TaskThreadPool: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
  private struct Scheduled {
    let deadline: UInt64
    let job: UnownedJob
  }

  /// A thread that waits, by its semaphore.
  private typealias Waiting = UnsafeMutablePointer<sem_t>

  private let most: Int
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  private var ready = JobQueue()
  /// Sorted; the first deadline is the last element.
  private var scheduled: [Scheduled] = []
  private var threads = 0
  /// They wait until there is work. The last one has waited for the shortest time, and is the next one to work.
  private var idle: [Waiting] = []
  /// It waits until the first deadline at the latest.
  private var timer: Waiting?

  init(_ most: Int) {
    self.most = most
    pthread_mutex_init(lock, nil)
  }

  // MARK: - Jobs of the runtime

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(lock)
    ready.append(job)
    let waiting = threadForJob()
    pthread_mutex_unlock(lock)
    wake(waiting)
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
      // A clock with durations other than in seconds.
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
    let waiting = low == scheduled.count - 1 ? threadForTimer() : nil
    pthread_mutex_unlock(lock)
    wake(waiting)
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private func wake(_ waiting: Waiting?) {
    if let waiting { sem_post(waiting) }
  }

  // MARK: - Under the lock

  /// - Returns: A thread to wake, which no longer counts as waiting; nil if none waits. One is started if there may be more.
  private func threadForJob() -> Waiting? { idle.popLast() ?? takeTimer() ?? startThread() }

  /// The same for a new first deadline.
  private func threadForTimer() -> Waiting? { takeTimer() ?? idle.popLast() ?? startThread() }

  private func takeTimer() -> Waiting? {
    defer { timer = nil }
    return timer
  }

  /// - Returns: nil, since a new thread looks for work by itself.
  private func startThread() -> Waiting? {
    guard threads < most else { return nil }
    threads += 1
    // Without another thread, those that run take the job when they are free. The first one must start.
    let hasStarted = DetachedThread.start(name: "task \(threads)", waits: threads == 1) { [self] in run() }
    if !hasStarted { threads -= 1 }
    return nil
  }

  // MARK: - A thread

  private func run() {
    let this = Waiting.allocate(capacity: 1)
    sem_init(this, 0, 0)
    pthread_mutex_lock(lock)
    while true {
      moveDueJobsToReady()
      if let job = ready.popFirst() {
        // Another thread runs the other jobs, or waits for the first deadline.
        let waiting = !ready.isEmpty ? threadForJob() : !scheduled.isEmpty && timer == nil ? threadForTimer() : nil
        pthread_mutex_unlock(lock)
        wake(waiting)
        job.runSynchronously(on: asUnownedTaskExecutor())
        pthread_mutex_lock(lock)
      } else if let next = scheduled.last, timer == nil {
        timer = this
        pthread_mutex_unlock(lock)
        var time = timespec(
          tv_sec: Int(next.deadline / 1_000_000_000), tv_nsec: Int(next.deadline % 1_000_000_000))
        tessera_wait(this, &time)
        pthread_mutex_lock(lock)
        if timer == this { timer = nil }
      } else {
        idle.append(this)
        pthread_mutex_unlock(lock)
        sem_wait(this)
        pthread_mutex_lock(lock)
        // Nobody chose this thread if a signal handler ended the wait, or if it was chosen when its deadline had ended it.
        idle.removeAll { $0 == this }
      }
    }
  }

  private func moveDueJobsToReady() {
    guard !scheduled.isEmpty else { return }
    let now = Self.now()
    while let next = scheduled.last, next.deadline <= now {
      ready.append(next.job)
      scheduled.removeLast()
    }
  }
}

/// A first-in, first-out queue.
private struct JobQueue {
  private var incoming: [UnownedJob] = []
  /// In reverse order.
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
