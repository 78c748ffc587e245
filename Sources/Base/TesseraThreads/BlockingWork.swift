/// A thread for calls that block, such as file locks of other processes or long computations. It runs one call at a
/// time.
package actor BlockingWork {
  private nonisolated let executor: ThreadExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package init(name: String) { executor = ThreadExecutor(name: name) }

  deinit { executor.stop() }

  package func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}
