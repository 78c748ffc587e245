/// What is played now and what comes next. The rules of mixing, all of them:
///
/// - Different patterns run side by side; the device adds up what is felt at once.
/// - The same pattern started anew starts over: the earlier one ends, what it started is stopped.
/// - At most eight run at once. A ninth ends the one that began first. So a flood, of one pattern or of many, costs
///   no more than eight.
/// - A pulse that could not start before it would have ended is left out: nothing is caught up with. One that starts late
///   is felt for its whole length.
struct PlaybackSchedule {
  typealias Instant = ContinuousClock.Instant

  static let mostAtOnce = 8

  struct Playback {
    let number: Int
    let pattern: HapticPattern
    let effects: [TimedEffect]
    let began: Instant
    let ticket: PlaybackTicket
    var next = 0
    var started = 0
    var omissions: [EffectOmission: Int] = [:]
    /// When what was started last will have been felt, which is later than it should be where the device was slow.
    var feltUntil: Instant?

    var ends: Instant { max(began + .milliseconds(pattern.length), feltUntil ?? began) }
    var nextEffect: TimedEffect? { next < effects.count ? effects[next] : nil }
    func starts(_ effect: TimedEffect) -> Instant { began + .milliseconds(effect.start) }
    func ends(_ effect: TimedEffect) -> Instant { began + .milliseconds(effect.end) }
  }

  /// An effect whose time has come.
  struct Due {
    let playback: Int
    let effect: ForceEffect
    let ends: Instant
  }

  private(set) var playbacks: [Playback] = []
  private var begun = 0

  var isEmpty: Bool { playbacks.isEmpty }

  /// Takes what ends because of this pattern.
  ///
  /// - Returns: with how it ends.
  mutating func makeRoom(for pattern: HapticPattern) -> [(Playback, PlaybackReport.End)] {
    var ended = take { $0.pattern == pattern }.map { ($0, PlaybackReport.End.restarted) }
    if playbacks.count >= Self.mostAtOnce { ended.append((playbacks.removeFirst(), .displaced)) }
    return ended
  }

  /// - Parameter now: what the pattern's times count from.
  mutating func begin(
    _ pattern: HapticPattern, _ effects: [TimedEffect], _ ticket: PlaybackTicket, at now: Instant
  ) {
    begun &+= 1
    playbacks.append(Playback(number: begun, pattern: pattern, effects: effects, began: now, ticket: ticket))
  }

  /// The earliest effect whose time has come; nil where none has.
  mutating func takeDue(at now: Instant) -> Due? {
    while let index = earliest(), let next = playbacks[index].nextEffect, playbacks[index].starts(next) <= now {
      let playback = playbacks[index]
      playbacks[index].next += 1
      guard playback.ends(next) > now else {
        playbacks[index].omissions[.late, default: 0] += 1
        continue
      }
      return Due(playback: playback.number, effect: next.effect, ends: playback.ends(next))
    }
    return nil
  }

  /// What each playback needs next.
  var upcoming: [(effect: ForceEffect, starts: Instant)] {
    playbacks.compactMap { playback in playback.nextEffect.map { ($0.effect, playback.starts($0)) } }
  }

  mutating func omitted(_ due: Due, _ omission: EffectOmission) {
    change(due.playback) { $0.omissions[omission, default: 0] += 1 }
  }

  /// - Parameter end: until when it is felt.
  mutating func started(_ due: Due, until end: Instant) {
    change(due.playback) { playback in
      playback.started += 1
      playback.feltUntil = max(playback.feltUntil ?? end, end)
    }
  }

  private mutating func change(_ number: Int, _ body: (inout Playback) -> Void) {
    guard let index = playbacks.firstIndex(where: { $0.number == number }) else { return }
    body(&playbacks[index])
  }

  /// When there is something to do next; nil where there is nothing.
  var deadline: Instant? {
    playbacks.map { playback in playback.nextEffect.map(playback.starts) ?? playback.ends }.min()
  }

  mutating func takeEnded(at now: Instant) -> [Playback] { take { $0.ends <= now && $0.nextEffect == nil } }

  mutating func takeCancelled() -> [Playback] { take { $0.ticket.isCancelled } }

  mutating func takeAll() -> [Playback] { take { _ in true } }

  private mutating func take(_ condition: (Playback) -> Bool) -> [Playback] {
    let taken = playbacks.filter(condition)
    if !taken.isEmpty { playbacks.removeAll(where: condition) }
    return taken
  }

  private func earliest() -> Int? {
    playbacks.indices.filter { playbacks[$0].nextEffect != nil }.min { one, other in
      guard let first = playbacks[one].nextEffect, let second = playbacks[other].nextEffect else { return false }
      return playbacks[one].starts(first) < playbacks[other].starts(second)
    }
  }
}
