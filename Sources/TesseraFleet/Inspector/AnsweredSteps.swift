internal import TesseraNATS
internal import TesseraThreads

/// The answers to the latest requests of witnessed reads. A desk that loses its connection before an answer arrives
/// sends the request again, and receives the same answer: nothing is judged or recorded twice.
final class AnsweredSteps: Sendable {
  /// One request of a read: its files, or its answer to the agreement.
  struct Step: Hashable, Sendable {
    var session: FleetIdentifier
    var isAnswer: Bool
  }

  enum Repetition: Sendable {
    case none
    case answered([UInt8])
    /// The inspector is still working on it, and answers both requests.
    case underWay
  }

  private struct Entry {
    var desk: DeskName
    /// Requests that wait for the same answer.
    var waiting: [NATSMessage] = []
    /// nil while the inspector works.
    var payload: [UInt8]?
  }

  private struct State {
    var entries: [Step: Entry] = [:]
    /// The answered ones, the oldest first.
    var answered: [Step] = []
    var size = 0
  }

  private static let maximumCount = 512
  private static let maximumSize = 16 << 20
  /// No desk repeats a request more often while it is under way.
  private static let maximumWaiting = 8

  private let state = Locked(State())

  /// Work on a request begins.
  func begin(_ step: Step, of desk: DeskName) {
    state.withLock { $0.entries[step] = Entry(desk: desk) }
  }

  /// A request has its answer.
  ///
  /// - Returns: the repetitions that wait for it.
  func finish(_ step: Step, _ payload: [UInt8]) -> [NATSMessage] {
    state.withLock { state in
      guard let entry = state.entries[step], entry.payload == nil else { return [] }
      state.entries[step] = Entry(desk: entry.desk, payload: payload)
      state.answered.append(step)
      state.size += payload.count
      while state.answered.count > Self.maximumCount || state.size > Self.maximumSize {
        let oldest = state.answered.removeFirst()
        state.size -= state.entries.removeValue(forKey: oldest)?.payload?.count ?? 0
      }
      return entry.waiting
    }
  }

  /// Whether this inspector has received a request before.
  func repetition(of step: Step, by desk: DeskName, _ message: NATSMessage) -> Repetition {
    state.withLock { state in
      guard let entry = state.entries[step], entry.desk == desk else { return .none }
      if let payload = entry.payload { return .answered(payload) }
      if entry.waiting.count < Self.maximumWaiting { state.entries[step]?.waiting.append(message) }
      return .underWay
    }
  }
}
