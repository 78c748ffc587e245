import Foundation
import TestSupport
import Testing

@testable import TesseraHaptics

@Suite("Rumble player")
struct RumblePlayerTests {
  private static func pulses(_ strengths: [Double]) throws -> HapticPattern {
    try HapticPattern(
      strengths.enumerated().map { HapticPulse(start: $0 * 600, length: 500, strong: $1, weak: 0) })
  }

  /// A pattern that ends when the test lets half a minute pass.
  private static let long: [HapticPulse] = [HapticPulse(start: 0, length: 30_000, strong: 1, weak: 1)]

  @Test("uploads each effect once and starts it as often as needed")
  func words() async throws {
    let device = try RecordingDevice()
    let player = device.player
    var reports: [PlaybackReport] = []
    for _ in 0..<3 { reports.append(try await player.play(try Self.pulses([1, 1, 1]))) }
    let complete = PlaybackReport(device: device.device, outcome: .complete, started: 3)
    #expect(reports == [complete, complete, complete])
    #expect(device.uploads == 1 && device.starts == Array(repeating: 0, count: 9))
    #expect(device.events.count { $0 == .noteUse } == 1)
  }

  @Test("a predefined effect plays as its pattern does")
  func predefined() async throws {
    let device = try RecordingDevice()
    let player = device.player
    let report = try await player.play(.impact(.heavy))
    #expect(report == PlaybackReport(device: device.device, outcome: .complete, started: 1))
    player.start(.impact(.heavy))
    await player.finish()
    try await player.play(HapticWord.impact(.heavy).pattern)
    #expect(device.uploads == 1 && device.starts.count == 3)
  }

  @Test("starts the first effect before it uploads the next one")
  func firstStart() async throws {
    let device = try RecordingDevice()
    try await device.player.play(try Self.pulses([0.5, 1]))
    let kinds = device.events.map { event in
      switch event {
      case .upload: "upload"
      case .start: "start"
      case .stop: "stop"
      case .erase: "erase"
      case .noteUse: "note the use"
      case .prepare: "prepare"
      case .leaveOut: "leave out"
      }
    }
    // The note is a file, which may take longer to write than an effect.
    #expect(kinds == ["upload", "start", "upload", "start", "note the use"])
  }

  @Test("a pattern starts after the upload of its first effect and ends with its last effect")
  func slowUpload() async throws {
    let device = try RecordingDevice()
    device.state.withLock { $0.uploadTime = .milliseconds(120) }
    let report = try await device.player.play(HapticWord.impact(.heavy).pattern)
    let ended = device.clock.now
    #expect(report == PlaybackReport(device: device.device, outcome: .complete, started: 1))
    let started = try #require(device.state.withLock { $0.lastStarted })
    #expect(started.duration(to: ended) >= .milliseconds(110), "the call returned before the end of the effect")
  }

  @Test("the times of a pattern count from the write of its first start, not from its return")
  func slowStart() async throws {
    let device = try RecordingDevice()
    device.state.withLock { $0.startTime = .milliseconds(20) }
    try await device.player.play(try Self.pulses([1, 1]))
    let starts = device.state.withLock { $0.startTimes }
    let (first, last) = (try #require(starts.first), try #require(starts.last))
    #expect(starts.count == 2 && first.duration(to: last) == .milliseconds(600))
  }

  @Test("sets the gain again before a pattern that is played alone, since another program may have changed it")
  func gain() async throws {
    let device = try RecordingDevice()
    let player = device.player
    for _ in 0..<3 { try await player.play(try Self.pulses([1])) }
    // The first one found it set when it opened the device.
    #expect(device.events.count { $0 == .prepare } == 2)
    #expect(
      device.events.prefix(3) == [
        .upload(0, ForceEffect(force: .rumble(strong: 0xFFFF, weak: 0), length: 500)), .start(0), .noteUse,
      ])
  }

  @Test("a device that nobody serves costs one upload, and the next device plays")
  func unserved() async throws {
    let (clone, pad) = (try RecordingDevice(), try RecordingDevice(number: 1))
    clone.state.withLock { $0.servedUploads = 0 }
    let player = RumblePlayer(source: DeviceList([clone, pad]), clock: clone.clock)
    for _ in 0..<2 {
      let report = try await player.play(HapticWord.selection.pattern)
      #expect(report == PlaybackReport(device: pad.device, outcome: .complete, started: 1))
    }
    #expect(clone.events == [.leaveOut])
    // Without another device the error says why.
    let alone = try RecordingDevice()
    alone.state.withLock { $0.servedUploads = 0 }
    let unserved = HapticError.unserved(path: alone.device.path)
    await #expect(throws: unserved) {
      try await RumblePlayer(source: DeviceList([alone]), clock: alone.clock).play(HapticWord.selection.pattern)
    }
    // Also if the source does not leave it out.
    let stubborn = try RecordingDevice(staysAfterLeavingOut: true)
    stubborn.state.withLock { $0.servedUploads = 0 }
    await #expect(throws: unserved) { try await stubborn.player.play(HapticWord.selection.pattern) }
    #expect(stubborn.uploads == 0)
    #expect(unserved.failure.kind == .noDevice && unserved.failure.cause.contains("30 seconds"))
  }

  @Test("a device that nobody serves any more ends the pattern, which is not complete")
  func unservedLater() async throws {
    let device = try RecordingDevice()
    device.state.withLock { $0.servedUploads = 1 }
    let report = try await device.player.play(try Self.pulses([0.5, 1]))
    #expect(report.outcome == .unserved && report.started == 1)
    #expect(report.remarks == ["The program that serves the device stopped answering during the playback."])
    #expect(device.events.count { $0 == .leaveOut } == 1 && !device.events.contains(.noteUse))
  }

  /// Pulses at the same time, each a separate effect.
  private static func chord(_ count: Int) throws -> HapticPattern {
    try HapticPattern(
      (0..<count).map { HapticPulse(start: 0, length: 500, strong: Double($0 + 1) / 10, weak: 0) })
  }

  @Test("reports omitted effects by reason, in singular and plural")
  func remarks() async throws {
    func play(_ count: Int, foreign: Int = 0, refusal: Int32? = nil) async throws -> PlaybackReport {
      let device = try RecordingDevice(slots: 2)
      device.state.withLock { state in
        state.foreign = foreign
        state.refusal = refusal
      }
      return try await device.player.play(try Self.chord(count))
    }
    var report = try await play(1, foreign: 2)
    #expect(report.started == 0 && report.omissions == [.slotsTaken: 1])
    #expect(report.remarks == ["1 effect was left out: other programs use the device's slots."])
    report = try await play(4)
    #expect(report.started == 2 && report.omissions == [.tooFewSlots(2): 2])
    #expect(
      report.remarks == [
        "2 effects were left out: the pattern needs more effects at once than the device can store (2)."
      ])
    report = try await play(3, foreign: 1)
    #expect(report.started == 1 && report.omissions == [.slotsTaken: 2])
    report = try await play(1, refusal: EINVAL)
    #expect(report.started == 0 && report.omissions == [.refused(code: EINVAL): 1])
    #expect(report.remarks == ["1 effect was left out: the device's driver refused the upload (invalid argument)."])
    // Ten short pulses in sequence, on a device whose uploads take longer than each pulse.
    let device = try RecordingDevice()
    device.state.withLock { $0.uploadTime = .milliseconds(60) }
    report = try await device.player.play(
      try HapticPattern((0..<10).map { HapticPulse(start: $0 * 20, length: 20, strong: Double($0 + 1) / 10, weak: 0) }))
    let late = report.omissions[.late] ?? 0
    #expect(late > 0 && report.omissions == [.late: late] && report.started + late == 10)
    #expect(report.remarks.first?.hasSuffix("left out: the device was too slow for the pattern.") == true)
  }

  @Test("throws without a device; a call that does not wait reports nothing")
  func noDevice() async throws {
    let device = try RecordingDevice()
    device.state.withLock { $0.isDisconnected = true }
    let player = device.player
    #expect(await !player.isAvailable())
    await #expect(throws: HapticError.noDevice) { try await player.play(HapticWord.selection.pattern) }
    player.start(HapticWord.selection.pattern)
    await player.finish()
    #expect(device.events.isEmpty)
    // A device that is connected later is used.
    device.state.withLock { $0.isDisconnected = false }
    #expect(await player.isAvailable())
    #expect(try await player.play(HapticWord.selection.pattern).outcome == .complete)
  }

  @Test("ends the playback without an error when the device is unplugged")
  func disconnected() async throws {
    let device = try RecordingDevice()
    device.state.withLock { $0.lastStart = 3 }
    let report = try await device.player.play(
      try HapticPattern((0..<10).map { HapticPulse(start: $0 * 100, length: 50, strong: 1, weak: 0) }))
    #expect(report.outcome == .unplugged && report.omissions.isEmpty)
    #expect(device.starts.count == 3 && device.events.last == .noteUse)
  }

  @Test("a device that is unplugged while a pattern begins ends the pattern", .timeLimit(.minutes(2)))
  func disconnectedAtTheBeginning() async throws {
    let device = try RecordingDevice(clock: ManualClock())
    let player = device.player
    device.state.withLock { $0.isMissingForUpload = true }
    let unplugged = PlaybackReport(device: device.device, outcome: .unplugged)
    #expect(try await player.play(HapticWord.selection.pattern) == unplugged)
    #expect(device.events == [])

    // The stop fails, with which the earlier playback of the same pattern ends.
    device.state.withLock { ($0.isMissingForUpload, $0.isDisconnected) = (false, false) }
    let long = try HapticPattern(Self.long)
    async let first = player.play(long)
    try await eventually { !device.starts.isEmpty }
    device.state.withLock { $0.isDisconnected = true }
    #expect(try await player.play(long) == unplugged)
    #expect(try await first.outcome == .restarted)
    #expect(device.events.last == .noteUse)
  }

  @Test("notes the use of the device when the last of several patterns has ended")
  func noteOfSeveral() async throws {
    let device = try RecordingDevice(clock: ManualClock())
    let player = device.player
    player.start(try HapticPattern([HapticPulse(start: 0, length: 500, strong: 0.5, weak: 0)]))
    async let last = player.play(
      HapticPattern([0, 1500].map { HapticPulse(start: $0, length: 500, strong: 1, weak: 0) }))
    try await eventually { device.starts.count == 2 }
    device.clock.pass()
    #expect(try await last.started == 2)
    #expect(device.events.firstIndex(of: .noteUse) == device.events.count - 1)
  }

  @Test("a pattern whose rest became late while the device was unplugged is not complete")
  func disconnectedWhileLate() async throws {
    let late = try HapticPattern([0, 500].map { HapticPulse(start: $0, length: 10, strong: 1, weak: 0) })
    let device = try RecordingDevice(clock: ManualClock())
    let player = device.player
    async let first = player.play(late)
    try await eventually { !device.starts.isEmpty }
    device.state.withLock { state in
      state.uploadTime = .milliseconds(700)
      state.isUnpluggedByUpload = true
      // Nothing is written to the device after the upload.
      state.refusal = EINVAL
    }
    player.start(try HapticPattern([HapticPulse(start: 0, length: 2000, strong: 0.5, weak: 0)]))
    #expect(try await first.outcome == .unplugged)
  }

  @Test("stops the playback when its task is cancelled")
  func cancelled() async throws {
    let device = try RecordingDevice(clock: ManualClock())
    let player = device.player
    let task = Task { try await player.play(try HapticPattern(Self.long)) }
    try await eventually { !device.starts.isEmpty }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await player.finish()
    #expect(device.events.suffix(2) == [.stop(0), .noteUse])
    // A task that is cancelled before it calls the player starts no effect.
    let before = device.starts.count
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await player.play(HapticWord.impact(.heavy).pattern)
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(device.starts.count == before)
  }

  @Test("answers many concurrent callers with a limited number of playbacks")
  func flood() async throws {
    let device = try RecordingDevice(slots: 4)
    let player = device.player
    let ends = try await withThrowingTaskGroup(of: PlaybackReport.Outcome.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await player.play(
            try HapticPattern([HapticPulse(start: 0, length: 50, strong: Double(number % 20 + 1) / 20, weak: 0)])
          ).outcome
        }
      }
      var ends: [PlaybackReport.Outcome: Int] = [:]
      for try await end in group { ends[end, default: 0] += 1 }
      return ends
    }
    #expect(ends.values.reduce(0, +) == 200)
    #expect(ends.keys.allSatisfy { [.complete, .restarted, .displaced].contains($0) }, "\(ends)")
    #expect(device.state.withLock { $0.uploaded.count } <= 4)
  }

  @Test("closes the device when it is released")
  func end() async throws {
    weak var forgotten: RecordingDevice?
    do {
      let device = try RecordingDevice(clock: ManualClock())
      forgotten = device
      let player = device.player
      player.start(try HapticPattern(Self.long))
      try await eventually { !device.starts.isEmpty }
    }
    try await eventually("The release of the device") { forgotten == nil }
  }
}
