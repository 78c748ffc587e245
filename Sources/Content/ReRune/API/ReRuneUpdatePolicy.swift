/// When a program asks the server for new texts.
public struct ReRuneUpdatePolicy: Sendable, Equatable {
  /// Whether `setup` starts a check.
  public var checkOnStart: Bool
  /// The time between two checks while the program runs, at least one minute: a shorter one counts as a minute. Nil, zero
  /// and negative durations mean none. After a suspension of the machine one check follows, not several.
  public var periodicInterval: Duration?

  public init(checkOnStart: Bool = true, periodicInterval: Duration? = nil) {
    self.checkOnStart = checkOnStart
    self.periodicInterval = periodicInterval
  }

  private static let minimumInterval = Duration.seconds(60)

  /// The time from the end of a check to the next one; nil for no further check.
  var waitBetweenChecks: Duration? {
    periodicInterval.flatMap { $0 > .zero ? max($0, Self.minimumInterval) : nil }
  }

  /// The interval is the sum of the hours and the days.
  public init(checkOnStart: Bool = true, periodicIntervalInHours hours: Int, periodicIntervalInDays days: Int = 0) {
    // A duration has no room for the largest integers. Thirty years are no interval of a process either.
    let seconds = min(Double(hours) * 3_600 + Double(days) * 86_400, 1e9)
    self.init(checkOnStart: checkOnStart, periodicInterval: .seconds(max(0, seconds)))
  }
}
