import Bridge
import NIOCore
import Threads

/// How fast each web origin may ask, over all its connections: a bucket of tokens that fills again with time (no timer
/// runs for it). The local user's programs have no such limit: they could ask the devices themselves.
final class RequestRate: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: NIODeadline
  }
  private let perSecond: Double
  private let burst: Double
  private let buckets = Locked<[BridgeCaller: Bucket]>([:])

  init(_ limits: ServiceLimits) {
    perSecond = Double(limits.requestsPerSecond)
    burst = Double(limits.requestBurst)
  }

  /// Whether the caller may ask once more now. Only origins with a grant get here, so there are few of them.
  func take(_ caller: BridgeCaller, at now: NIODeadline = .now()) -> Bool {
    guard caller != .local else { return true }
    return buckets.withLock { buckets in
      var bucket = buckets[caller] ?? Bucket(tokens: burst, filled: now)
      let passed = Double((now - bucket.filled).nanoseconds) / 1e9
      bucket.tokens = min(burst, bucket.tokens + max(0, passed) * perSecond)
      bucket.filled = now
      defer { buckets[caller] = bucket }
      guard bucket.tokens >= 1 else { return false }
      bucket.tokens -= 1
      return true
    }
  }
}
