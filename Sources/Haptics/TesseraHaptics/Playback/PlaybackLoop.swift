import Glibc
import TesseraThreads

/// The loop of a player's thread: it handles requests, starts each effect at its time, and sleeps in `poll` until the
/// next effect, a request or the removal of the device. While nothing is being played it sleeps without a limit.
///
/// Only this thread accesses its state.
struct PlaybackLoop {
  let mailbox: PlayerMailbox
  let source: any EffectDeviceSource
  let clock: any MonotonicClock
  private var current: (any EffectDevice)? { didSet { rules = current.map(EffectRules.init) } }
  /// The rules of the current device.
  private var rules: EffectRules?
  /// Whether a pattern was played on the current device, and whether the source knows it.
  private var use = Use.none
  private var slots = EffectSlots()
  private var schedule = PlaybackSchedule()
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private enum Use { case none, unnoted, noted }

  init(mailbox: PlayerMailbox, source: any EffectDeviceSource, clock: any MonotonicClock) {
    self.mailbox = mailbox
    self.source = source
    self.clock = clock
  }

  mutating func run() {
    while let contents = mailbox.removeAll() {
      for question in contents.questions { question.resume(returning: (try? device()) != nil) }
      waiting += contents.waiting
      // One at a time: if the device is unplugged during one request, the others must still be answered.
      for request in contents.requests {
        closingIfDisconnected { loop throws(EffectDeviceError) in try loop.begin(request) }
      }
      closingIfDisconnected { loop throws(EffectDeviceError) in try loop.advance() }
      if schedule.isEmpty {
        for continuation in waiting { continuation.resume() }
        waiting = []
      }
      sleep()
    }
    // Closing the device stops and erases everything.
    closeDevice()
  }

  private mutating func closingIfDisconnected(_ body: (inout PlaybackLoop) throws(EffectDeviceError) -> Void) {
    do {
      try body(&self)
    } catch {
      closeDevice(after: error)
    }
  }

  // MARK: - Playing

  private mutating func begin(_ request: PlayerMailbox.Request) throws(EffectDeviceError) {
    guard !request.ticket.isCancelled else {
      return request.ticket.complete(.success(PlaybackReport(device: nil, outcome: .cancelled)))
    }
    var leftOut: [RumbleDevice] = []
    while true {
      let device: any EffectDevice
      do {
        device = try self.device()
      } catch {
        return request.ticket.complete(.failure(error))
      }
      guard !leftOut.contains(device.device) else {
        return request.ticket.complete(.failure(.unserved(path: device.device.path)))
      }
      do {
        return try begin(request, on: device)
      } catch {
        guard case .unserved = error else { throw error }
        // The next device plays.
        leftOut.append(device.device)
        closeDevice(after: error)
      }
    }
  }

  private mutating func begin(
    _ request: PlayerMailbox.Request, on device: any EffectDevice
  ) throws(EffectDeviceError) {
    let effects = request.pattern.effects(on: rules ?? EffectRules(device))
    let ended = schedule.makeRoom(for: request.pattern)
    // All are reported first, since each of the stops may fail because the device was unplugged.
    for (playback, outcome) in ended { report(playback, outcome, device.device) }
    do {
      for (playback, _) in ended { try slots.stop(playback.number, now: clock.now, on: device) }
      // Before the pattern starts, since an upload may take long.
      for first in effects.prefix(while: { $0.start == effects.first?.start }) {
        let now = clock.now
        _ = try slots.id(of: first.effect, neededUntil: now + .milliseconds(first.end), now: now, on: device)
      }
    } catch {
      if case .unserved = error { throw error }
      // The pattern is not in the schedule, whose playbacks end with the device.
      noteUse(of: device.device)
      request.ticket.complete(.success(PlaybackReport(device: device.device, outcome: .unplugged)))
      throw error
    }
    schedule.begin(request.pattern, effects, request.ticket, at: clock.now)
    // At once, so that the uploads of the next request do not delay these effects.
    try startDue(on: device)
    if use == .none { use = .unnoted }
  }

  private mutating func advance() throws(EffectDeviceError) {
    guard let device = current else { return }
    try stopCancelled(on: device)
    try startDue(on: device)
    let now = clock.now
    // If the thread was stalled, the rest of a pattern can be omitted without a write that would fail.
    if schedule.hasEnded(at: now), isUnplugged { throw .disconnected }
    end(schedule.removeEnded(at: now), .complete, device.device)
    // Uploads the next effect in advance, so that only its start remains to be written.
    for (effect, starts) in schedule.upcoming {
      _ = try slots.id(of: effect, neededUntil: starts, now: clock.now, on: device)
    }
    if schedule.isEmpty { try slots.releaseExcess(now: clock.now, on: device) }
  }

  private mutating func stopCancelled(on device: any EffectDevice) throws(EffectDeviceError) {
    let cancelled = schedule.removeCancelled()
    // They are reported even if the device is unplugged now.
    defer { end(cancelled, .cancelled, device.device) }
    for playback in cancelled { try slots.stop(playback.number, now: clock.now, on: device) }
  }

  private mutating func startDue(on device: any EffectDevice) throws(EffectDeviceError) {
    while let due = schedule.nextDueEffect(at: clock.now) {
      switch try slots.id(of: due.effect, neededUntil: due.ends, now: clock.now, on: device) {
      case .failure(let omission): schedule.omitted(due, omission)
      case .success(let id):
        // The kernel counts the effect's time from the write on, which may return later.
        let start = clock.now
        try device.start(id)
        let end = clock.now + .milliseconds(Int(due.effect.length))
        slots.started(due.effect, by: due.playback, until: end)
        schedule.started(due, at: start, until: end)
      }
    }
  }

  /// Reports playbacks that were removed from the schedule.
  private mutating func end(
    _ playbacks: [PlaybackSchedule.Playback], _ outcome: PlaybackReport.Outcome, _ device: RumbleDevice
  ) {
    noteUse(of: device)
    for playback in playbacks { report(playback, outcome, device) }
  }

  /// If nothing is being played any more, tells the source that the device was used, before the last report: a program may
  /// exit as soon as it has that. The source is not told earlier, because it writes a file, which can take longer than an
  /// effect. It is also told if all effects were omitted because the machine was suspended: this is the selected device.
  private mutating func noteUse(of device: RumbleDevice) {
    guard use == .unnoted, schedule.isEmpty else { return }
    source.used(device)
    use = .noted
  }

  private func report(
    _ playback: PlaybackSchedule.Playback, _ outcome: PlaybackReport.Outcome, _ device: RumbleDevice
  ) {
    playback.ticket.complete(
      .success(
        PlaybackReport(device: device, outcome: outcome, started: playback.started, omissions: playback.omissions)))
  }

  // MARK: - The device

  /// The device to play on. It changes only while nothing is being played.
  private mutating func device() throws(HapticError) -> any EffectDevice {
    if let current, !schedule.isEmpty { return current }
    do {
      let found = try source.device(after: current)
      if found !== current {
        closeDevice()
        current = found
      } else {
        found.prepare()
      }
      return found
    } catch {
      closeDevice()
      throw error
    }
  }

  /// Closes the device and ends all playbacks.
  private mutating func closeDevice(after error: EffectDeviceError = .disconnected) {
    guard let device = current?.device else { return }
    current = nil
    slots = EffectSlots()
    if case .unserved = error {
      source.leaveOut(device)
      // What nobody plays is not the device of choice.
      use = .none
      end(schedule.removeAll(), .unserved, device)
    } else {
      end(schedule.removeAll(), .unplugged, device)
      use = .none
    }
  }

  private var isUnplugged: Bool {
    guard let current else { return false }
    // POLLHUP and POLLERR are always reported.
    var descriptor = pollfd(fd: current.descriptor, events: 0, revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  // MARK: - Sleeping

  private mutating func sleep() {
    // POLLHUP and POLLERR are always reported.
    var descriptors = [
      pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: current?.descriptor ?? -1, events: 0, revents: 0),
    ]
    // Without a descriptor for the mailbox the thread cannot be woken up, and polls.
    let deadline = schedule.deadline ?? (mailbox.descriptor < 0 ? clock.now + .milliseconds(100) : nil)
    _ = clock.poll(&descriptors, until: deadline)
    if descriptors[1].revents != 0 { closeDevice() }
  }
}
