import Glibc

/// Memory that is overwritten before it is freed: a camera's frame shows a document.
package final class WipedMemory<Element: BitwiseCopyable & Sendable>: Sendable {
  // Written during initialisation only, so that threads may share it.
  private nonisolated(unsafe) let memory: UnsafeMutableBufferPointer<Element>

  /// - Parameters:
  ///   - count: the number of elements.
  ///   - value: the value of each before `initialize` writes it.
  /// - Throws: the error of `initialize`.
  package init(
    repeating value: Element, count: Int,
    initializingWith initialize: (UnsafeMutableBufferPointer<Element>) throws -> Void
  ) rethrows {
    memory = .allocate(capacity: count)
    memory.initialize(repeating: value)
    try initialize(memory)
  }

  deinit {
    let bytes = UnsafeMutableRawBufferPointer(memory)
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    memory.deallocate()
  }

  package var count: Int { memory.count }

  package subscript(index: Int) -> Element {
    precondition(memory.indices.contains(index))
    return memory[index]
  }

  /// The elements, valid during the call only.
  package func withElements<Result>(_ body: (UnsafeBufferPointer<Element>) throws -> Result) rethrows -> Result {
    try body(UnsafeBufferPointer(memory))
  }
}
