import NIOCore
import TesseraBridge
import TesseraCore
import TesseraThreads

/// A rate limit for each web origin, over all its connections: a token bucket that is refilled when it is used, without
/// a timer. Local programs have no such limit, since they can access the devices directly.
final class RequestRate: Sendable {
  enum Judgement: Sendable {
    case allowed
    /// The request is answered with an error.
    case tooFast
    /// The message is not parsed, and the connection is closed.
    case flood
  }

  private struct Bucket {
    var tokens: Double
    var filled: NIODeadline
  }
  private let perSecond: Double
  private let burst: Double
  private let debt: Double
  private let bytesPerToken: Double
  private let answerBytesPerToken: Double
  private let entriesPerToken: Double
  private let buckets = Locked<[Caller: Bucket]>([:])
  /// More are kept only while they are not full.
  private static let mostBuckets = 1_000

  init(_ limits: ServiceLimits) {
    perSecond = Double(limits.requestsPerSecond)
    burst = Double(limits.requestBurst)
    debt = Double(limits.requestDebt)
    bytesPerToken = Double(max(1, limits.rateBytes))
    answerBytesPerToken = Double(max(1, limits.rateAnswerBytes))
    entriesPerToken = Double(max(1, limits.rateEntries))
  }

  /// Decides about one more message, before it is parsed.
  func judge(_ caller: Caller, bytes: Int, at now: @autoclosure () -> NIODeadline = .now()) -> Judgement {
    guard caller != .local else { return .allowed }
    let tokens = change(caller, now()) { tokens in
      tokens = max(-debt - 1, tokens - max(1, Double(bytes) / bytesPerToken))
    }
    if tokens >= 0 { return .allowed }
    return tokens >= -debt ? .tooFast : .flood
  }

  /// Charges the cost of a response or event, in addition to its request: a small request can have a long response, or
  /// one with thousands of entries.
  ///
  /// This charge alone never leads to `flood`, since the caller cannot predict it.
  func charge(
    _ caller: Caller, for message: BridgeMessage, bytes: Int, at now: @autoclosure () -> NIODeadline = .now()
  ) {
    guard caller != .local else { return }
    var entries = 0
    if case .response(_, _, .success(.array(let elements))) = message { entries = elements.count }
    // Short responses are included in the cost of the request.
    let cost = (Double(bytes) / answerBytesPerToken).rounded(.down) + (Double(entries) / entriesPerToken).rounded(.down)
    guard cost > 0 else { return }
    _ = change(caller, now()) { tokens in tokens = max(min(tokens, -burst), tokens - cost) }
  }

  /// Whether the caller has used up its tokens.
  func isOverdrawn(_ caller: Caller, at now: @autoclosure () -> NIODeadline = .now()) -> Bool {
    caller != .local && change(caller, now()) { _ in } < 0
  }

  static let tooFast = BridgeError("TOO_MANY_REQUESTS", "This origin exceeded its rate limit.")

  /// - Returns: the remaining tokens.
  private func change(_ caller: Caller, _ now: NIODeadline, _ body: (inout Double) -> Void) -> Double {
    buckets.withLock { buckets in
      if buckets.count > Self.mostBuckets, buckets[caller] == nil {
        buckets = buckets.filter { (now - $0.value.filled) < .seconds(Int64((burst + debt) / perSecond) + 1) }
      }
      var bucket = buckets[caller] ?? Bucket(tokens: burst, filled: now)
      let passed = Double((now - bucket.filled).nanoseconds) / 1e9
      bucket.tokens = min(burst, bucket.tokens + max(0, passed) * perSecond)
      bucket.filled = max(now, bucket.filled)
      body(&bucket.tokens)
      buckets[caller] = bucket
      return bucket.tokens
    }
  }
}
