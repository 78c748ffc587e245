import Foundation

/// The work of a player's thread: takes what is asked for, starts each effect at its time, and sleeps in one `poll` until
/// the next is due, somebody asks for something or the device goes. While nothing is played it sleeps without a limit.
///
/// All of its state is the thread's own.
struct PlaybackLoop {
  let mailbox: PlayerMailbox
  let source: any EffectDeviceSource
  private var current: (any EffectDevice)?
  /// Whether the source was told that the current device is used.
  private var isUseKnown = false
  private var slots = EffectSlots()
  private var schedule = PlaybackSchedule()
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(mailbox: PlayerMailbox, source: any EffectDeviceSource) {
    self.mailbox = mailbox
    self.source = source
  }

  mutating func run() {
    while let contents = mailbox.take() {
      for question in contents.questions { question.resume(returning: (try? device()) != nil) }
      waiting += contents.waiting
      // Each on its own: a device that goes with one of them must not leave the others without an answer.
      for request in contents.requests { whileThere { loop throws(EffectDeviceError) in try loop.begin(request) } }
      whileThere { loop throws(EffectDeviceError) in try loop.advance() }
      if schedule.isEmpty {
        for continuation in waiting { continuation.resume() }
        waiting = []
      }
      sleep()
    }
    // Closing the device stops and erases everything.
    forget()
  }

  private mutating func whileThere(_ body: (inout PlaybackLoop) throws(EffectDeviceError) -> Void) {
    do {
      try body(&self)
    } catch {
      forget()
    }
  }

  // MARK: - Playing

  private mutating func begin(_ request: PlayerMailbox.Request) throws(EffectDeviceError) {
    guard !request.ticket.isCancelled else {
      return request.ticket.complete(.success(PlaybackReport(device: nil, end: .cancelled)))
    }
    let device: any EffectDevice
    do {
      device = try self.device()
    } catch {
      return request.ticket.complete(.failure(error))
    }
    let effects = request.pattern.effects(on: device.features)
    let ended = schedule.makeRoom(for: request.pattern)
    // Told first, all of them: the device may go with any of the stops.
    for (playback, end) in ended { report(playback, end) }
    for (playback, _) in ended { try slots.stop(playback.number, now: .now, on: device) }
    // Before the pattern's clock starts: a driver takes as long as it likes for an upload.
    for first in effects.prefix(while: { $0.start == effects.first?.start }) {
      _ = try slots.id(of: first.effect, neededUntil: .now + .milliseconds(first.end), now: .now, on: device)
    }
    schedule.begin(request.pattern, effects, request.ticket, at: .now)
    // At once: the uploads of the next request would only delay it.
    try startDue(on: device)
    // Even where a machine that stood still has left out every pulse: it is the device that was meant.
    if !isUseKnown { source.used(device.device) }
    isUseKnown = true
  }

  private mutating func advance() throws(EffectDeviceError) {
    guard let device = current else { return }
    let cancelled = schedule.takeCancelled()
    for playback in cancelled { report(playback, .cancelled) }
    for playback in cancelled { try slots.stop(playback.number, now: .now, on: device) }
    try startDue(on: device)
    for playback in schedule.takeEnded(at: .now) { report(playback, .complete) }
    // One ahead, so that at its time only the start is to be written.
    for (effect, starts) in schedule.upcoming {
      _ = try slots.id(of: effect, neededUntil: starts, now: .now, on: device)
    }
    if schedule.isEmpty { try slots.rest(now: .now, on: device) }
  }

  private mutating func startDue(on device: any EffectDevice) throws(EffectDeviceError) {
    while let due = schedule.takeDue(at: .now) {
      switch try slots.id(of: due.effect, neededUntil: due.ends, now: .now, on: device) {
      case .failure(let omission): schedule.omitted(due, omission)
      case .success(let id):
        try device.start(id)
        let end = ContinuousClock.now + .milliseconds(Int(due.effect.length))
        slots.started(due.effect, by: due.playback, until: end)
        schedule.started(due, until: end)
      }
    }
  }

  private func report(_ playback: PlaybackSchedule.Playback, _ end: PlaybackReport.End) {
    playback.ticket.complete(
      .success(
        PlaybackReport(
          device: current?.device, end: end, started: playback.started, omissions: playback.omissions)))
  }

  // MARK: - The device

  /// It changes only while nothing is played.
  private mutating func device() throws(HapticError) -> any EffectDevice {
    if let current, !schedule.isEmpty { return current }
    do {
      let found = try source.device(after: current)
      if found !== current {
        forget()
        current = found
      }
      return found
    } catch {
      forget()
      throw error
    }
  }

  /// Closes the device. What was being played is over, which is nobody's error.
  private mutating func forget() {
    for playback in schedule.takeAll() { report(playback, .unplugged) }
    current = nil
    isUseKnown = false
    slots = EffectSlots()
  }

  // MARK: - Sleeping

  private mutating func sleep() {
    // Nothing is asked of the device: that it hangs up is told always.
    var descriptors = [
      pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: current?.descriptor ?? -1, events: 0, revents: 0),
    ]
    let timeout = schedule.deadline.map { deadline in
      let remaining = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
      return Int32(min(max(0, remaining.rounded(.up)), 60_000))
    }
    // A process that had no descriptor left for the mailbox cannot be woken, and looks into it now and then.
    poll(&descriptors, nfds_t(descriptors.count), timeout ?? (mailbox.descriptor < 0 ? 100 : -1))
    if descriptors[1].revents != 0 { forget() }
  }
}
