import NIOCore
import TesseraThreads

/// Hands elements from any thread to one event loop, in the order in which they were appended.
///
/// All elements that are appended before the event loop runs the drain arrive together, so that it can write them with
/// one flush. Everything that a connection sends goes through one queue. Otherwise a response that is sent on the event
/// loop could overtake an event that another thread sent before.
final class LoopQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isScheduled = false
    var isClosed = false
  }
  private let state = Locked(State())
  private let eventLoop: any EventLoop
  private let lifetime: EventLoopLifetime
  private let drain: @Sendable () -> Void

  /// - Parameter drain: is called on the event loop when there are elements; it calls `removeAll`.
  init(_ eventLoop: any EventLoop, _ lifetime: EventLoopLifetime, drain: @escaping @Sendable () -> Void) {
    self.eventLoop = eventLoop
    self.lifetime = lifetime
    self.drain = drain
  }

  func append(_ element: Element) {
    let isFirst = state.withLock { state in
      guard !state.isClosed else { return false }
      state.elements.append(element)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { lifetime.execute(on: eventLoop, drain) }
  }

  /// Discards all elements that are appended from now on.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.elements = []
    }
  }

  /// Removes and returns all elements.
  func removeAll() -> [Element] {
    state.withLock { state in
      state.isScheduled = false
      defer { state.elements = [] }
      return state.elements
    }
  }
}
