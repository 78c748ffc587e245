/// The patterns that are being played and their next effects. The rules for several patterns:
///
/// - Different patterns are played at the same time; the device adds up their effects.
/// - If a pattern is started again while it is being played, the earlier playback ends and its effects are stopped.
/// - At most eight patterns are played at once. A ninth one ends the oldest playback, which limits the cost of many
///   requests.
/// - An effect that could only start after its own end is omitted. An effect that starts late is played for its whole
///   length.
/// - If the first effect of a pattern starts late, the others wait as long: what is felt keeps its shape.
struct PlaybackSchedule {
  typealias Instant = ContinuousClock.Instant

  static let mostAtOnce = 8

  struct Playback {
    let number: Int
    let pattern: HapticPattern
    let effects: [TimedEffect]
    /// The start of the pattern.
    fileprivate(set) var began: Instant
    let ticket: PlaybackTicket
    var next = 0
    var started = 0
    var omissions: [EffectOmission: Int] = [:]
    /// The end of the effect that was started last, which is later than planned if the device was slow.
    var feltUntil: Instant?

    var ends: Instant { max(began + .milliseconds(pattern.length), feltUntil ?? began) }
    var nextEffect: TimedEffect? { next < effects.count ? effects[next] : nil }
    func hasEnded(at now: Instant) -> Bool { ends <= now && nextEffect == nil }
    func starts(_ effect: TimedEffect) -> Instant { began + .milliseconds(effect.start) }
    func ends(_ effect: TimedEffect) -> Instant { began + .milliseconds(effect.end) }
  }

  /// An effect to start now.
  struct DueEffect {
    let playback: Int
    let effect: ForceEffect
    let ends: Instant
    /// The start of the effect in the pattern, in milliseconds, if the effect is the pattern's first.
    let firstStart: Int?
  }

  private(set) var playbacks: [Playback] = []
  private var begun = 0

  var isEmpty: Bool { playbacks.isEmpty }

  /// Removes the playbacks that end because of a new pattern.
  ///
  /// - Returns: The playbacks and their outcomes.
  mutating func makeRoom(for pattern: HapticPattern) -> [(Playback, PlaybackReport.Outcome)] {
    var ended = remove { $0.pattern == pattern }.map { ($0, PlaybackReport.Outcome.restarted) }
    if playbacks.count >= Self.mostAtOnce { ended.append((playbacks.removeFirst(), .displaced)) }
    return ended
  }

  /// - Parameter now: The start of the pattern.
  mutating func begin(
    _ pattern: HapticPattern, _ effects: [TimedEffect], _ ticket: PlaybackTicket, at now: Instant
  ) {
    begun &+= 1
    playbacks.append(Playback(number: begun, pattern: pattern, effects: effects, began: now, ticket: ticket))
  }

  /// The earliest effect to start now, which is then removed; nil if there is none.
  mutating func nextDueEffect(at now: Instant) -> DueEffect? {
    while let index = earliest(), let next = playbacks[index].nextEffect, playbacks[index].starts(next) <= now {
      let playback = playbacks[index]
      let isFirst = playback.next == 0
      playbacks[index].next += 1
      guard playback.ends(next) > now else {
        playbacks[index].omissions[.late, default: 0] += 1
        continue
      }
      return DueEffect(
        playback: playback.number, effect: next.effect, ends: playback.ends(next),
        firstStart: isFirst ? next.start : nil)
    }
    return nil
  }

  /// The next effect of each playback.
  var upcoming: [(effect: ForceEffect, starts: Instant)] {
    playbacks.compactMap { playback in playback.nextEffect.map { ($0.effect, playback.starts($0)) } }
  }

  mutating func omitted(_ due: DueEffect, _ omission: EffectOmission) {
    change(due.playback) { $0.omissions[omission, default: 0] += 1 }
  }

  /// - Parameters:
  ///   - start: When the device started the effect.
  ///   - end: The end of the effect.
  mutating func started(_ due: DueEffect, at start: Instant, until end: Instant) {
    change(due.playback) { playback in
      if let firstStart = due.firstStart { playback.began = max(playback.began, start - .milliseconds(firstStart)) }
      playback.started += 1
      playback.feltUntil = max(playback.feltUntil ?? end, end)
    }
  }

  private mutating func change(_ number: Int, _ body: (inout Playback) -> Void) {
    guard let index = playbacks.firstIndex(where: { $0.number == number }) else { return }
    body(&playbacks[index])
  }

  /// The time of the next start or end; nil if nothing is being played.
  var deadline: Instant? {
    playbacks.map { playback in playback.nextEffect.map(playback.starts) ?? playback.ends }.min()
  }

  /// Whether a playback has ended.
  func hasEnded(at now: Instant) -> Bool { playbacks.contains { $0.hasEnded(at: now) } }

  mutating func removeEnded(at now: Instant) -> [Playback] { remove { $0.hasEnded(at: now) } }

  mutating func removeCancelled() -> [Playback] { remove { $0.ticket.isCancelled } }

  mutating func removeAll() -> [Playback] { remove { _ in true } }

  private mutating func remove(_ condition: (Playback) -> Bool) -> [Playback] {
    let removed = playbacks.filter(condition)
    if !removed.isEmpty { playbacks.removeAll(where: condition) }
    return removed
  }

  private func earliest() -> Int? {
    playbacks.indices.filter { playbacks[$0].nextEffect != nil }.min { one, other in
      guard let first = playbacks[one].nextEffect, let second = playbacks[other].nextEffect else { return false }
      return playbacks[one].starts(first) < playbacks[other].starts(second)
    }
  }
}
