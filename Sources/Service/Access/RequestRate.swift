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
  private let buckets = Locked<[BridgeCaller: Bucket]>([:])

  init(_ limits: ServiceLimits) {
    perSecond = Double(limits.requestsPerSecond)
    burst = Double(limits.requestBurst)
    debt = Double(limits.requestDebt)
    bytesPerToken = Double(max(1, limits.rateBytes))
  }

  /// What is to be done with one more message of the caller now, before anything of it is read. Only origins with a grant
  /// get here, so there are few of them.
  func judge(_ caller: BridgeCaller, bytes: Int, at now: NIODeadline = .now()) -> Judgement {
    guard caller != .local else { return .allowed }
    return buckets.withLock { buckets in
      var bucket = buckets[caller] ?? Bucket(tokens: burst, filled: now)
      let passed = Double((now - bucket.filled).nanoseconds) / 1e9
      bucket.tokens = min(burst, bucket.tokens + max(0, passed) * perSecond)
      bucket.filled = now
      bucket.tokens = max(-debt - 1, bucket.tokens - max(1, Double(bytes) / bytesPerToken))
      buckets[caller] = bucket
      if bucket.tokens >= 0 { return .allowed }
      return bucket.tokens >= -debt ? .tooFast : .flood
    }
  }
}
