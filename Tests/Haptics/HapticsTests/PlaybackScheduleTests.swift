import Testing

@testable import TesseraHaptics

@Suite("Playback schedule")
struct PlaybackScheduleTests {
  private let began = ContinuousClock.now

  private static func pattern(_ starts: [Int], length: Int = 20, strong: Double = 1) throws -> HapticPattern {
    try HapticPattern(starts.map { HapticPulse(start: $0, length: length, strong: strong, weak: 0) })
  }

  private func time(_ milliseconds: Int) -> ContinuousClock.Instant { began + .milliseconds(milliseconds) }

  private func begin(
    _ schedule: inout PlaybackSchedule, _ pattern: HapticPattern, at milliseconds: Int = 0
  ) -> [PlaybackReport.Outcome] {
    let ended = schedule.makeRoom(for: pattern).map(\.1)
    schedule.begin(pattern, pattern.effects(on: .rumbleOnly), PlaybackTicket(), at: time(milliseconds))
    return ended
  }

  @Test("each pulse is due at its start, and the deadline is the next start")
  func times() throws {
    var schedule = PlaybackSchedule()
    #expect(schedule.deadline == nil)
    #expect(begin(&schedule, try Self.pattern([0, 50])).isEmpty)
    #expect(schedule.nextDueEffect(at: time(0)) != nil)
    #expect(schedule.nextDueEffect(at: time(49)) == nil)
    #expect(schedule.deadline == time(50))
    #expect(schedule.nextDueEffect(at: time(52))?.ends == time(70))
    #expect(schedule.deadline == time(70))
    #expect(schedule.removeEnded(at: time(69)).isEmpty)
    #expect(schedule.removeEnded(at: time(70)).count == 1)
    #expect(schedule.isEmpty && schedule.deadline == nil)
  }

  @Test("plays different patterns at the same time")
  func sideBySide() throws {
    var schedule = PlaybackSchedule()
    #expect(begin(&schedule, try Self.pattern([0, 60], strong: 1)).isEmpty)
    #expect(begin(&schedule, try Self.pattern([0, 60], strong: 0.5), at: 30).isEmpty)
    var order: [Int] = []
    while let due = schedule.nextDueEffect(at: time(35)) { order.append(due.playback) }
    #expect(order == [2])  // the first of the other would have ended at 20
    while let due = schedule.nextDueEffect(at: time(91)) { order.append(due.playback) }
    #expect(order == [2, 2])
    #expect(schedule.playbacks.map(\.omissions) == [[.late: 2], [:]])
  }

  @Test("restarts a pattern that is started again")
  func restart() throws {
    var schedule = PlaybackSchedule()
    let pattern = try Self.pattern([0, 50])
    #expect(begin(&schedule, pattern).isEmpty)
    #expect(schedule.nextDueEffect(at: time(0)) != nil)
    #expect(begin(&schedule, pattern, at: 20) == [.restarted])
    #expect(schedule.playbacks.count == 1)
    #expect(schedule.nextDueEffect(at: time(20))?.playback == 2)
    #expect(schedule.deadline == time(70))
  }

  @Test("plays at most eight patterns at once, and ends the oldest")
  func most() throws {
    var schedule = PlaybackSchedule()
    for number in 1...8 { #expect(begin(&schedule, try Self.pattern([0], strong: Double(number) / 10)).isEmpty) }
    #expect(begin(&schedule, try Self.pattern([0], strong: 0.95)) == [.displaced])
    #expect(schedule.playbacks.map(\.number) == Array(2...9))
  }

  @Test("omits and counts effects whose end has passed")
  func late() throws {
    var schedule = PlaybackSchedule()
    _ = begin(&schedule, try Self.pattern(Array(stride(from: 0, to: 1000, by: 50))))
    #expect(schedule.nextDueEffect(at: time(960))?.ends == time(970))
    #expect(schedule.nextDueEffect(at: time(960)) == nil)
    #expect(schedule.playbacks.first?.omissions == [.late: 19])
    #expect(schedule.removeEnded(at: time(970)).count == 1)
  }

  @Test("plays an effect that starts late for its whole length")
  func lateStart() throws {
    var schedule = PlaybackSchedule()
    _ = begin(&schedule, try Self.pattern([0], length: 110))
    guard let due = schedule.nextDueEffect(at: time(0)) else {
      Issue.record("the effect is not due at its time")
      return
    }
    schedule.started(due, at: time(120), until: time(230))
    #expect(schedule.deadline == time(230))
    #expect(schedule.removeEnded(at: time(229)).isEmpty)
    #expect(schedule.removeEnded(at: time(230)).map(\.started) == [1])
  }

  @Test("keeps the shape of a pattern whose first effect starts late")
  func shape() throws {
    var schedule = PlaybackSchedule()
    _ = begin(&schedule, try Self.pattern([10, 50, 100]))
    guard let first = schedule.nextDueEffect(at: time(15)) else {
      Issue.record("the effect is not due at its time")
      return
    }
    schedule.started(first, at: time(37), until: time(57))
    #expect(schedule.deadline == time(77), "27 ms later")
    #expect(schedule.nextDueEffect(at: time(76)) == nil)
    guard let second = schedule.nextDueEffect(at: time(80)) else {
      Issue.record("the effect is not due at its time")
      return
    }
    schedule.started(second, at: time(90), until: time(110))
    #expect(schedule.deadline == time(127), "a later effect that is late moves nothing")
  }
}
