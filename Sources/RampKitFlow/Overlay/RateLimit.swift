/// Permits a number of actions at once, and then so many in each second.
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

  mutating func permits(at time: Duration) -> Bool {
    tokens = min(burst, tokens + max(0, (time - last) / .seconds(1)) * perSecond)
    last = max(last, time)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
