import Glibc

/// Memory that is overwritten before it is freed: a camera's frame shows a document.
///
/// Inlinable: the code of the modules that use it is then made for their type of elements, which is many times as fast.
@usableFromInline
package final class WipedMemory<Element: BitwiseCopyable & Sendable>: Sendable {
  // Written during initialisation only, so that threads may share it.
  @usableFromInline nonisolated(unsafe) let memory: UnsafeMutableBufferPointer<Element>

  /// - Parameters:
  ///   - count: the number of elements.
  ///   - value: the value of each before `initialize` writes it.
  /// - Throws: the error of `initialize`.
  @inlinable
  package init<Failure: Error>(
    repeating value: Element, count: Int,
    initializingWith initialize: (UnsafeMutableBufferPointer<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    memory = .allocate(capacity: count)
    memory.initialize(repeating: value)
    try initialize(memory)
  }

  deinit {
    let bytes = UnsafeMutableRawBufferPointer(memory)
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    memory.deallocate()
  }

  @inlinable package var count: Int { memory.count }

  @inlinable
  package subscript(index: Int) -> Element {
    precondition(memory.indices.contains(index))
    return memory[index]
  }

  /// The elements, valid during the call only.
  @inlinable
  package func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) throws -> Result) rethrows -> Result {
    try body(UnsafeBufferPointer(memory))
  }
}
