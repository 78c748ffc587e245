internal import CEvdev
import Foundation
import Threads

/// What callers hand to a player's thread. Putting something in takes no time, and it holds no more than the player would
/// play at once: a pattern that waits already is not put in twice, and the oldest gives way.
final class PlayerMailbox: Sendable {
  typealias Request = (pattern: HapticPattern, ticket: PlaybackTicket)

  struct Contents {
    var requests: [Request] = []
    /// Ask whether there is a device.
    var questions: [CheckedContinuation<Bool, Never>] = []
    /// Wait until nothing is played.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked((contents: Contents(), isOpen: true))
  /// An eventfd: readable while there is something in here.
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
      let end = request.pattern == pattern ? PlaybackReport.End.restarted : .displaced
      request.ticket.complete(.success(PlaybackReport(device: nil, end: end)))
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

  /// What has come since; nil once the player has been told to end.
  func take() -> Contents? {
    var count = eventfd_t()
    _ = eventfd_read(descriptor, &count)
    return state.withLock { state in
      defer { state.contents = Contents() }
      return state.isOpen ? state.contents : nil
    }
  }
}
