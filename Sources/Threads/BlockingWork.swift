/// A thread for calls that block and have no object of their own: files that are locked by other processes, long
/// computations. One piece of work at a time.
public actor BlockingWork {
  private nonisolated let executor: ThreadExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  public init(name: String) { executor = ThreadExecutor(name: name) }

  deinit { executor.stop() }

  public func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}
