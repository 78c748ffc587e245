/// Permits a number of things at once, and then so many in each second.
struct RateLimit {
  private let burst: Double
  private let perSecond: Double
  private var tokens: Double
  private var last = Duration.zero

  init(burst: Int, perSecond: Int) {
    self.burst = Double(burst)
    self.perSecond = Double(perSecond)
    tokens = Double(burst)
  }

  /// - Parameter count: the number of things, of which all or none are permitted.
  mutating func permits(_ count: Int = 1, at time: Duration) -> Bool {
    tokens = min(burst, tokens + max(0, (time - last) / .seconds(1)) * perSecond)
    last = max(last, time)
    guard tokens >= Double(count) else { return false }
    tokens -= Double(count)
    return true
  }
}
