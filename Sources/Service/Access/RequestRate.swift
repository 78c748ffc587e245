import Bridge
import NIOCore
import Threads

/// How fast each web origin may ask, over all its connections: a bucket of tokens that fills again with time (no timer
/// runs for it). The local user's programs have no such limit: they could ask the devices themselves.
final class RequestRate: Sendable {
  enum Judgement: Sendable {
    case allowed
    /// Is answered with an error.
    case tooFast
    /// Is not even read any more.
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
  private let buckets = Locked<[BridgeCaller: Bucket]>([:])

  init(_ limits: ServiceLimits) {
    perSecond = Double(limits.requestsPerSecond)
    burst = Double(limits.requestBurst)
    debt = Double(limits.requestDebt)
    bytesPerToken = Double(max(1, limits.rateBytes))
    answerBytesPerToken = Double(max(1, limits.rateAnswerBytes))
    entriesPerToken = Double(max(1, limits.rateEntries))
  }

  /// What is to be done with one more message of the caller now, before anything of it is read. Only origins with a grant
  /// get here, so there are few of them.
  func judge(_ caller: BridgeCaller, bytes: Int, at now: NIODeadline = .now()) -> Judgement {
    guard caller != .local else { return .allowed }
    let tokens = change(caller, now) { tokens in
      tokens = max(-debt - 1, tokens - max(1, Double(bytes) / bytesPerToken))
    }
    if tokens >= 0 { return .allowed }
    return tokens >= -debt ? .tooFast : .flood
  }

  /// What a message to the caller cost, beside the request that it belongs to: the answer to a small request can be
  /// thousands of entries, each of which was looked up, or as long as a message may be.
  ///
  /// This alone makes nobody a flood, however much it is: the caller could not know it.
  func charge(_ caller: BridgeCaller, for message: BridgeMessage, bytes: Int, at now: NIODeadline = .now()) {
    guard caller != .local else { return }
    var entries = 0
    if case .response(_, _, .success(.array(let elements))) = message { entries = elements.count }
    // Most answers are small, and come with the request.
    let cost = (Double(bytes) / answerBytesPerToken).rounded(.down) + (Double(entries) / entriesPerToken).rounded(.down)
    guard cost > 0 else { return }
    _ = change(caller, now) { tokens in tokens = max(min(tokens, -burst), tokens - cost) }
  }

  /// Whether the caller has to wait before anything more is done for it.
  func isOverdrawn(_ caller: BridgeCaller, at now: NIODeadline = .now()) -> Bool {
    caller != .local && change(caller, now) { _ in } < 0
  }

  static let tooFast = BridgeError("TOO_MANY_REQUESTS", "This origin asks too fast.")

  /// - Returns: the tokens that are left.
  private func change(_ caller: BridgeCaller, _ now: NIODeadline, _ body: (inout Double) -> Void) -> Double {
    buckets.withLock { buckets in
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
