internal import TesseraJSON

/// Statistics of use that wait to be sent: in batches of ten, or after five seconds (Passage.md, rule 2). A batch that
/// the server does not take is sent again after one, two and three seconds, and then joins the queue again while that
/// has fewer than 100 events. It exists only if the program names an address.
struct AnalyticsQueue: Sendable {
  enum Step: Sendable, Equatable {
    case send([JSONValue])
    case startBatchTimer
    /// Seconds.
    case startRetryTimer(Int)
    case cancelBatchTimer
  }

  static let batch = 10
  static let pause = Duration.seconds(5)
  static let retries = 3
  static let most = 100

  private(set) var waiting: [JSONValue] = []
  /// The batch that is sent, and how often it was sent again.
  private(set) var sending: [JSONValue]?
  private var retried = 0

  mutating func add(_ event: JSONValue) -> [Step] {
    guard waiting.count < Self.most else { return [] }
    waiting.append(event)
    if waiting.count >= Self.batch { return sendNext() }
    return waiting.count == 1 && sending == nil ? [.startBatchTimer] : []
  }

  /// Five seconds have passed.
  mutating func batchTimerFired() -> [Step] { sendNext() }

  mutating func retryTimerFired() -> [Step] { sending.map { [.send($0)] } ?? [] }

  /// The server took the batch, or did not.
  mutating func finished(isTaken: Bool) -> [Step] {
    guard let batch = sending else { return [] }
    if !isTaken, retried < Self.retries {
      retried += 1
      return [.startRetryTimer(retried)]
    }
    sending = nil
    retried = 0
    if !isTaken, waiting.count < Self.most {
      waiting = Array((batch + waiting).prefix(Self.most))
      // Not at once: the server has just refused four times.
      return [.startBatchTimer]
    }
    return waiting.isEmpty ? [] : waiting.count >= Self.batch ? sendNext() : [.startBatchTimer]
  }

  private mutating func sendNext() -> [Step] {
    guard sending == nil, !waiting.isEmpty else { return [] }
    let batch = Array(waiting.prefix(Self.batch))
    waiting.removeFirst(batch.count)
    sending = batch
    return [.cancelBatchTimer, .send(batch)]
  }
}
