package import TesseraBridge
internal import TesseraThreads

/// What the page shows of the kiosk itself, by the event `lifecycle.kiosk`: `{waiting, clock}`. `waiting` counts the
/// results that are not stored; `clock` is false if the clock of the machine is wrong.
package final class KioskStatus: Sendable {
  private struct State {
    var waiting = 0
    var isClockRight = true
    var listeners: [Int: AsyncStream<BridgeMessage>.Continuation] = [:]
    var count = 0

    var event: BridgeMessage {
      .event(
        domain: .lifecycle, name: "kiosk", data: ["waiting": .integer(Int64(waiting)), "clock": .bool(isClockRight)])
    }
  }
  private let state = Locked(State())

  package init() {}

  package var waiting: Int {
    get { state.withLock { $0.waiting } }
    set { change { $0.waiting = newValue } }
  }

  package var isClockRight: Bool {
    get { state.withLock { $0.isClockRight } }
    set { change { $0.isClockRight = newValue } }
  }

  /// The status now and after each change.
  package func events() -> AsyncStream<BridgeMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: BridgeMessage.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.count += 1
      state.listeners[state.count] = continuation
      // Under the lock, here and below: the last event is that of the last change.
      continuation.yield(state.event)
      return state.count
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  private func change(_ body: (inout sending State) -> Void) {
    state.withLock { state in
      body(&state)
      let event = state.event
      for listener in state.listeners.values { listener.yield(event) }
    }
  }
}
