/// How often the views may open an address outside of Passage: a page must not fill the desktop with windows.
package struct OpeningLimit: Sendable {
  /// In one period.
  private static let most = 5
  private static let period = Duration.seconds(10)

  private var times: [ContinuousClock.Instant] = []

  package init() {}

  /// Takes one opening.
  ///
  /// - Returns: Whether it may happen.
  package mutating func take(at now: ContinuousClock.Instant = .now) -> Bool {
    times.removeAll { now - $0 >= Self.period }
    guard times.count < Self.most else { return false }
    times.append(now)
    return true
  }
}
