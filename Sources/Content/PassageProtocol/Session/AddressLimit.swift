/// Permits two addresses at once and then one in each second, so that a page cannot flood the desktop.
struct AddressLimit: Sendable {
  private static let burst: Int64 = 2
  private static let pause: Int64 = 1_000

  /// When all permits are there again.
  private var full = UnixTime(milliseconds: 0)

  mutating func permits(at time: UnixTime) -> Bool {
    let now = min(max(time.milliseconds, 0), 1 << 52)
    // A clock that was set back must not close the way for long.
    full.milliseconds = min(max(full.milliseconds, now), now + Self.burst * Self.pause)
    let next = full.milliseconds + Self.pause
    guard next - now <= Self.burst * Self.pause else { return false }
    full = UnixTime(milliseconds: next)
    return true
  }
}
