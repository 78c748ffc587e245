internal import CTesseraEvdev
import Glibc
import TesseraThreads

/// The requests to a player's thread. Adding one does not block. The mailbox stores as many requests as the player
/// plays at once: a pattern that is already waiting replaces the earlier request, and a further pattern displaces the
/// oldest one.
final class PlayerMailbox: Sendable {
  typealias Request = (pattern: HapticPattern, ticket: PlaybackTicket)

  struct Contents {
    var requests: [Request] = []
    /// Tasks that ask whether there is a device.
    var questions: [CheckedContinuation<Bool, Never>] = []
    /// Tasks that wait until nothing is being played.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked((contents: Contents(), isOpen: true))
  /// An eventfd: readable while there are requests.
  let descriptor = tessera_wake_up_descriptor()

  deinit { if descriptor >= 0 { close(descriptor) } }

  func play(_ pattern: HapticPattern, _ ticket: PlaybackTicket) {
    let displaced = state.withLock { state -> [Request] in
      var displaced = state.contents.requests.filter { $0.pattern == pattern }
      state.contents.requests.removeAll { $0.pattern == pattern }
      if state.contents.requests.count >= PlaybackSchedule.mostAtOnce {
        displaced.append(state.contents.requests.removeFirst())
      }
      state.contents.requests.append((pattern, ticket))
      return displaced
    }
    for request in displaced {
      let outcome = request.pattern == pattern ? PlaybackReport.Outcome.restarted : .displaced
      request.ticket.complete(.success(PlaybackReport(device: nil, outcome: outcome)))
    }
    wake()
  }

  func ask(_ continuation: CheckedContinuation<Bool, Never>) {
    state.withLock { $0.contents.questions.append(continuation) }
    wake()
  }

  func waitForRest(_ continuation: CheckedContinuation<Void, Never>) {
    state.withLock { $0.contents.waiting.append(continuation) }
    wake()
  }

  func end() {
    state.withLock { $0.isOpen = false }
    wake()
  }

  func wake() { _ = eventfd_write(descriptor, 1) }

  /// Removes and returns all requests; nil after `end`.
  func removeAll() -> Contents? {
    var count = eventfd_t()
    _ = eventfd_read(descriptor, &count)
    return state.withLock { state in
      defer { state.contents = Contents() }
      return state.isOpen ? state.contents : nil
    }
  }
}
