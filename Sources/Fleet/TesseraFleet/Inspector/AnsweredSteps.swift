internal import TesseraNATS
internal import TesseraThreads

/// The answers to the latest requests of witnessed reads. A desk that loses its connection before an answer arrives
/// sends the request again, and receives the same answer: nothing is judged or recorded twice.
///
/// Answers have personal data. They are kept for as long as a desk may ask again, within bounds for each desk and for
/// all.
final class AnsweredSteps: Sendable {
  /// One request of a read: its files, or its answer to the agreement.
  struct Step: Hashable, Sendable {
    var session: FleetIdentifier
    var isAnswer: Bool
  }

  /// How a request is to be treated.
  enum Reception<Work: Sendable>: Sendable {
    /// The inspector has not received it before, and begins to work on it.
    case first(Work)
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
    /// Removes the answer.
    var timer: Task<Void, Never>?
  }

  /// The answers that are kept, of one desk or of all.
  private struct Kept {
    /// The oldest first.
    var steps: [Step] = []
    var size = 0

    mutating func add(_ step: Step, _ size: Int) {
      steps.append(step)
      self.size += size
    }

    mutating func remove(_ step: Step, _ size: Int) {
      guard let index = steps.firstIndex(of: step) else { return }
      steps.remove(at: index)
      self.size -= size
    }

    /// The oldest answer, if there are more than these.
    func excess(count: Int, size: Int) -> Step? { steps.count > count || self.size > size ? steps.first : nil }
  }

  private struct State {
    var entries: [Step: Entry] = [:]
    var kept = Kept()
    var keptByDesk: [DeskName: Kept] = [:]
  }

  private static let maximumCount = 4096
  private static let maximumSize = 32 << 20
  private static let maximumCountPerDesk = 64
  private static let maximumSizePerDesk = 2 << 20
  /// No desk repeats a request more often while it is under way.
  private static let maximumWaiting = 8

  private let state = Locked(State())
  /// How long an answer is kept: a desk does not ask again later than it waits for the answer.
  private let time: Duration

  init(_ limits: FleetLimits) { time = limits.answer * 2 }

  /// The answers that are kept.
  var count: Int { state.withLock { $0.kept.steps.count } }

  /// Begins the work on a request, unless this inspector has received it before. Both happen in one step, so that no
  /// repetition comes between them.
  ///
  /// - Parameter begin: takes what the work needs. Nothing is noted if it throws.
  func receive<Work: Sendable>(
    _ step: Step, of desk: DeskName, _ message: NATSMessage, _ begin: () throws -> Work
  ) throws -> Reception<Work> {
    try state.withLock { state in
      guard let entry = state.entries[step], entry.desk == desk else {
        let work = try begin()
        state.entries[step] = Entry(desk: desk)
        return .first(work)
      }
      if let payload = entry.payload { return .answered(payload) }
      if entry.waiting.count < Self.maximumWaiting { state.entries[step]?.waiting.append(message) }
      return .underWay
    }
  }

  /// A request has its answer.
  ///
  /// - Returns: the repetitions that wait for it.
  func finish(_ step: Step, _ payload: [UInt8]) -> [NATSMessage] {
    state.withLock { state in
      guard let entry = state.entries[step], entry.payload == nil else { return [] }
      let timer = Task { [weak self, time] in
        guard (try? await Task.sleep(for: time)) != nil else { return }
        self?.state.withLock { Self.remove(step, &$0) }
      }
      state.entries[step] = Entry(desk: entry.desk, payload: payload, timer: timer)
      state.kept.add(step, payload.count)
      state.keptByDesk[entry.desk, default: Kept()].add(step, payload.count)
      while let oldest = state.keptByDesk[entry.desk]?
        .excess(count: Self.maximumCountPerDesk, size: Self.maximumSizePerDesk)
      {
        Self.remove(oldest, &state)
      }
      while let oldest = state.kept.excess(count: Self.maximumCount, size: Self.maximumSize) {
        Self.remove(oldest, &state)
      }
      return entry.waiting
    }
  }

  private static func remove(_ step: Step, _ state: inout State) {
    guard let entry = state.entries[step], let payload = entry.payload else { return }
    entry.timer?.cancel()
    state.entries[step] = nil
    state.kept.remove(step, payload.count)
    state.keptByDesk[entry.desk]?.remove(step, payload.count)
    if state.keptByDesk[entry.desk]?.steps.isEmpty == true { state.keptByDesk[entry.desk] = nil }
  }
}
