import Foundation
import Testing

@testable import Haptics

@Suite("A player")
struct RumblePlayerTests {
  /// Long enough that none is left out as too late on a slow machine.
  private static func pulses(_ strengths: [Double]) throws -> HapticPattern {
    try HapticPattern(
      strengths.enumerated().map { HapticPulse(start: $0 * 600, length: 500, strong: $1, weak: 0) })
  }

  @Test("uploads each effect once and starts it as often as it is felt")
  func words() async throws {
    let device = try RecordingDevice()
    let player = RumblePlayer(source: device)
    for _ in 0..<3 {
      let report = try await player.play(try Self.pulses([1, 1, 1]))
      #expect(report == PlaybackReport(device: device.device, end: .complete, started: 3))
    }
    #expect(device.uploads == 1 && device.starts == Array(repeating: 0, count: 9))
    #expect(device.state.withLock { $0.uses } == 1)
  }

  @Test("the first start is written before anything else is uploaded")
  func firstStart() async throws {
    let device = try RecordingDevice()
    let player = RumblePlayer(source: device)
    try await player.play(try Self.pulses([0.5, 1]))
    let kinds = device.events.map { event in
      switch event {
      case .upload: "upload"
      case .start: "start"
      case .stop: "stop"
      case .erase: "erase"
      }
    }
    #expect(kinds == ["upload", "start", "upload", "start"])
  }

  @Test("the pattern's time begins when the device has its first effect, and it ends when that has been felt")
  func slowUpload() async throws {
    let device = try RecordingDevice()
    device.state.withLock { $0.uploadTime = .milliseconds(120) }
    let report = try await RumblePlayer(source: device).play(HapticWord.impact(.heavy).pattern)
    let ended = ContinuousClock.now
    #expect(report == PlaybackReport(device: device.device, end: .complete, started: 1))
    let started = try #require(device.state.withLock { $0.lastStarted })
    #expect(started.duration(to: ended) >= .milliseconds(110), "the program goes on before it has been felt")
  }

  /// Pulses at the same time, each an effect of its own.
  private static func chord(_ count: Int) throws -> HapticPattern {
    try HapticPattern(
      (0..<count).map { HapticPulse(start: 0, length: 500, strong: Double($0 + 1) / 10, weak: 0) })
  }

  @Test("each reason for leaving an effect out has words of its own, and one effect is not several")
  func remarks() async throws {
    func play(_ count: Int, foreign: Int = 0, refusal: Int32? = nil) async throws -> PlaybackReport {
      let device = try RecordingDevice(slots: 2)
      device.state.withLock { state in
        state.foreign = foreign
        state.refusal = refusal
      }
      return try await RumblePlayer(source: device).play(try Self.chord(count))
    }
    var report = try await play(1, foreign: 2)
    #expect(report.started == 0 && report.omissions == [.slotsTaken: 1])
    #expect(report.remarks == ["1 effect was left out: other programs hold the device's slots."])
    report = try await play(4)
    #expect(report.started == 2 && report.omissions == [.tooFewSlots(2): 2])
    #expect(
      report.remarks == ["2 effects were left out: the pattern needs more effects at once than the device holds (2)."])
    report = try await play(3, foreign: 1)
    #expect(report.started == 1 && report.omissions == [.slotsTaken: 2])
    report = try await play(1, refusal: EINVAL)
    #expect(report.started == 0 && report.omissions == [.refused(code: EINVAL): 1])
    #expect(report.remarks == ["1 effect was left out: the device's driver refused the upload (invalid argument)."])
    // Ten short ones after each other, on a device that takes longer for each than it lasts.
    let device = try RecordingDevice()
    device.state.withLock { $0.uploadTime = .milliseconds(60) }
    report = try await RumblePlayer(source: device).play(
      try HapticPattern((0..<10).map { HapticPulse(start: $0 * 20, length: 20, strong: Double($0 + 1) / 10, weak: 0) }))
    let late = report.omissions[.late] ?? 0
    #expect(late > 0 && report.omissions == [.late: late] && report.started + late == 10)
    #expect(report.remarks.first?.hasSuffix("left out: the device was too slow for the pattern.") == true)
  }

  @Test("without a device it throws, and a call that does not wait is silent")
  func noDevice() async throws {
    let device = try RecordingDevice()
    device.state.withLock { $0.isGone = true }
    let player = RumblePlayer(source: device)
    #expect(await !player.isAvailable())
    await #expect(throws: HapticError.noDevice) { try await player.play(HapticWord.selection.pattern) }
    player.start(HapticWord.selection.pattern)
    await player.finish()
    #expect(device.events.isEmpty)
    // One that is plugged in later is taken.
    device.state.withLock { $0.isGone = false }
    #expect(await player.isAvailable())
    #expect(try await player.play(HapticWord.selection.pattern).end == .complete)
  }

  @Test("a device that goes in the middle ends what it plays without an error")
  func gone() async throws {
    var report: PlaybackReport?
    // A machine that stands still for long leaves pulses out, and may never come to the third.
    for _ in 0..<20 where report?.end != .unplugged {
      let device = try RecordingDevice()
      let player = RumblePlayer(source: device)
      device.state.withLock { $0.lastStart = 3 }
      let played = try await player.play(
        try HapticPattern((0..<10).map { HapticPulse(start: $0 * 100, length: 50, strong: 1, weak: 0) }))
      #expect(played.end == .unplugged || !played.omissions.isEmpty)
      if played.end == .unplugged { #expect(device.starts.count == 3) }
      report = played
    }
    #expect(report?.end == .unplugged)
  }

  @Test("a cancelled wait stops what is felt")
  func cancelled() async throws {
    let device = try RecordingDevice()
    let player = RumblePlayer(source: device)
    let task = Task {
      try await player.play(try HapticPattern([HapticPulse(start: 0, length: 30_000, strong: 1, weak: 1)]))
    }
    while device.starts.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await player.finish()
    #expect(device.events.last == .stop(0))
    // One that is cancelled before it asks is not felt at all.
    let before = device.starts.count
    let early = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await player.play(HapticWord.impact(.heavy).pattern)
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(device.starts.count == before)
  }

  @Test("many callers at once are bounded and each is answered")
  func flood() async throws {
    let device = try RecordingDevice(slots: 4)
    let player = RumblePlayer(source: device)
    let ends = try await withThrowingTaskGroup(of: PlaybackReport.End.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await player.play(
            try HapticPattern([HapticPulse(start: 0, length: 50, strong: Double(number % 20 + 1) / 20, weak: 0)])
          ).end
        }
      }
      var ends: [PlaybackReport.End: Int] = [:]
      for try await end in group { ends[end, default: 0] += 1 }
      return ends
    }
    #expect(ends.values.reduce(0, +) == 200)
    #expect(ends.keys.allSatisfy { [.complete, .restarted, .displaced].contains($0) }, "\(ends)")
    #expect(device.state.withLock { $0.held.count } <= 4)
  }

  @Test("its end gives the device back")
  func end() async throws {
    weak var forgotten: RecordingDevice?
    do {
      let device = try RecordingDevice()
      forgotten = device
      let player = RumblePlayer(source: device)
      player.start(try HapticPattern([HapticPulse(start: 0, length: 30_000, strong: 1, weak: 1)]))
      while device.starts.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    }
    for _ in 0..<2000 where forgotten != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(forgotten == nil)
  }
}
