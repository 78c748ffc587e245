import CLab
import Foundation
import LabDevices
import TestSupport
import Testing

@testable import TesseraHaptics

extension HapticLab {
  @Suite("Playback with errors, and with other programs")
  struct Playing {
    /// Pulses of different strength, so that each is a separate effect.
    private static func scale(_ count: Int, every: Int = 40, length: Int = 30) throws -> HapticPattern {
      try HapticPattern(
        (0..<count).map { HapticPulse(start: $0 * every, length: length, strong: Double($0 + 1) / 100, weak: 0) })
    }

    private static func scaleFelt(_ count: Int, every: Int = 40) -> [PlayedEffect] {
      (0..<count).map { number in
        PlayedEffect(number * every, strong: UInt16((Double(number + 1) / 100 * 65535).rounded()), weak: 0, 30)
      }
    }

    @Test("reports no error if the device is unplugged, and uses another device for the next call")
    func unplugged() async throws {
      let user = try User()
      let pad = try VirtualRumbleDevice()
      pad.onEvent { event in
        if HapticLab.isStart(event) {
          DispatchQueue.global().async { pad.unplug() }
        }
      }
      // The second pulse is so late that the device is gone before it, even on a machine that stalls.
      let pulses = """
        [{"atMs": 0, "durationMs": 80, "strong": 1, "weak": 0}, {"atMs": 30000, "durationMs": 80, "strong": 1, "weak": 0}]
        """
      let run = try await user.tessera(["haptic", "play", "-"], input: pulses)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors == "tessera: The device was unplugged during the playback.\n")
      #expect(HapticLab.felt(pad.entries).count == 1)

      let first = try VirtualRumbleDevice()
      let second = try VirtualRumbleDevice(.pad("Second"))
      let player = user.player()
      first.onEvent { event in
        if HapticLab.isStart(event) { DispatchQueue.global().async { first.unplug() } }
      }
      let report = try await player.play(try HapticPattern(json: Array(pulses.utf8)))
      #expect(report.outcome == .unplugged && report.device?.path == first.path)
      try await HapticLab.whileTheMachineRuns {
        second.forgetEntries()
        let next = try await player.play(HapticWord.notification(.error).pattern)
        #expect(next.outcome == .complete && next.device?.path == second.path)
        HapticLab.check(second, felt: HapticLab.words.last?.felt ?? [], "after unplugging")
      }
    }

    @Test("replaces the oldest effects if there are more than slots, and leaves a quarter free")
    func slots() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let player = try User().player()
        let report = try await player.play(try Self.scale(20))
        #expect(report.outcome == .complete && report.omissions.isEmpty)
        HapticLab.check(device, felt: Self.scaleFelt(20), "scale")
        #expect(device.events.count(where: HapticLab.isUpload) == 20)
        await player.finish()
        #expect(device.uploaded.count == 12)
      }
    }

    @Test("drops pulses without an error if other programs use every slot")
    func noSlots() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let found = try #require(try RumbleDevice.all().first { $0.path == device.path })
        let greedy = try OpenRumbleDevice(found)
        var ids: [Int16] = []
        for number in 0..<16 {
          ids.append(try greedy.upload(ForceEffect(force: .rumble(strong: UInt16(number), weak: 1), length: 10)))
        }
        #expect(throws: EffectDeviceError.self) {
          try greedy.upload(ForceEffect(force: .rumble(strong: 99, weak: 1), length: 10))
        }
        let user = try User()
        let run = try await user.tessera(["haptic", "notification", "error"])
        #expect(run.status == 0 && run.errors.contains("3 effects were left out"), "\(run.errors)")
        let required = try await user.tessera(["haptic", "selection", "--require"])
        #expect(
          required.status == 3
            && required.errors.contains("The device played nothing. 1 effect was left out: other programs"))
        let call = try await user.tessera(["call", "haptic.trigger"])
        #expect(call.status == 0 && call.output == "null\n" && call.errors.isEmpty)
        #expect(HapticLab.felt(device.entries).isEmpty)

        // One slot is sufficient for a pattern of many effects.
        try greedy.erase(ids[3])
        device.forgetEntries()
        let player = user.player()
        let report = try await player.play(try Self.scale(5))
        #expect(report.omissions.isEmpty)
        HapticLab.check(device, felt: Self.scaleFelt(5), "one slot")
      }
    }

    @Test("distinguishes a driver that refuses from full slots, and fails if a device is required")
    func refusing() async throws {
      var model = VirtualRumbleDevice.Model()
      model.refusal = EINVAL
      let device = try VirtualRumbleDevice(model)
      let user = try User()
      let run = try await user.tessera(["haptic", "selection"])
      #expect(run.status == 0)
      #expect(
        run.errors == "tessera: 1 effect was left out: the device's driver refused the upload (invalid argument).\n")
      let required = try await user.tessera(["haptic", "selection", "--require"])
      #expect(required.status == 3, "\(required.errors)")
      #expect(required.errors.contains("The device played nothing. 1 effect"), "\(required.errors)")
      #expect(HapticLab.felt(device.entries).isEmpty)
    }

    @Test("plays a whole pattern even if an upload takes longer than the pattern")
    func slow() async throws {
      var model = VirtualRumbleDevice.Model()
      model.uploadTime = 120_000
      let device = try VirtualRumbleDevice(model)
      let run = try await User().tessera(["haptic", "impact", "heavy", "--require"])
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(await device.wait { $0.contains(where: HapticLab.isErase) })
      let started = device.entries.first { HapticLab.isStart($0.event) }
      let erased = device.entries.first { HapticLab.isErase($0.event) }
      // The kernel's times. The kernel erases the program's effects at its end.
      #expect(try #require(erased).time - #require(started).time >= 110)
    }

    @Test("plays the complete patterns of two programs at the same time")
    func twoPrograms() async throws {
      try await HapticLab.whileTheMachineRuns {
        let device = try VirtualRumbleDevice()
        let (one, other) = (try User(), try User())
        // More effects than slots: the second program must still get slots.
        let mine = try Self.scale(60)
        let theirs = try HapticPattern(
          (0..<10).map { HapticPulse(start: $0 * 100, length: 30, strong: 0, weak: Double($0 + 1) / 10) })
        let json = (0..<10).map {
          #"{"atMs": \#($0 * 100), "durationMs": 30, "strong": 0, "weak": \#(Double($0 + 1) / 10)}"#
        }.joined(separator: ",")
        let player = one.player()
        async let report = player.play(mine)
        #expect(await device.wait { $0.count(where: HapticLab.isStart) >= 18 })
        let program = try other.start(["haptic", "play", "-"], input: "[\(json)]")
        #expect(try await report.outcome == .complete)
        #expect(await program.finish().status == 0)
        let entries = device.entries
        func part(_ isTheirs: Bool) -> [PlayedEffect] {
          HapticLab.felt(
            entries.filter {
              guard case .play(_, 1, let effect?) = $0.event, case .rumble(_, let weak) = effect.force else {
                return false
              }
              return (weak > 0) == isTheirs
            })
        }
        #expect(part(false).map(\.force) == Self.scaleFelt(60).map(\.force))
        #expect(part(true).count == theirs.pulses.count)
        for (felt, pulse) in zip(part(true), theirs.pulses) {
          #expect(abs(felt.start - pulse.start) <= HapticLab.tolerance)
        }
        // The effects of the program were erased at its end, ours remain.
        #expect(await device.wait { _ in device.uploaded.values.allSatisfy { $0.length == 30 } })
      }
    }

    @Test("plays different patterns of several callers in parallel, and restarts the same one")
    func callers() async throws {
      let device = try VirtualRumbleDevice()
      let player = try User().player()
      let long = try HapticPattern([HapticPulse(start: 0, length: 1000, strong: 1, weak: 0)])
      async let first = player.play(long)
      #expect(await device.wait { $0.count(where: HapticLab.isStart) == 1 })
      try await player.play(HapticWord.notification(.success).pattern)
      async let second = player.play(long)
      #expect(try await first.outcome == .restarted)
      #expect(try await second.outcome == .complete)
      let plays = device.events.compactMap { event -> (Int16, Int32)? in
        if case .play(let id, let times, _) = event { (id, times) } else { nil }
      }
      // The long pattern, the two pulses in parallel, its stop and its restart.
      #expect(plays.map(\.1) == [1, 1, 1, 0, 1], "\(plays)")
      #expect(plays.map { $0.0 == plays[0].0 } == [true, false, false, true, true], "\(plays)")
    }

    @Test("a thousand calls start at most eight patterns at once")
    func flood() async throws {
      let device = try VirtualRumbleDevice()
      let player = try User().player()
      for _ in 0..<1000 { player.start(HapticWord.notification(.error).pattern) }
      await player.finish()
      #expect(HapticLab.felt(device.entries).suffix(3).map(\.force) == HapticLab.words.last?.felt.map(\.force))
      device.forgetEntries()
      let patterns = try (0..<50).map {
        try HapticPattern([HapticPulse(start: 0, length: 300 + $0, strong: 0.5, weak: 0)])
      }
      var ends: [PlaybackReport.Outcome: Int] = [:]
      try await withThrowingTaskGroup(of: PlaybackReport.Outcome.self) { group in
        for pattern in patterns { group.addTask { try await player.play(pattern).outcome } }
        for try await end in group { ends[end, default: 0] += 1 }
      }
      #expect(ends == [.complete: 8, .displaced: 42])
    }

    @Test("the cancellation of a task stops the motor")
    func cancelled() async throws {
      let device = try VirtualRumbleDevice()
      let player = try User().player()
      let task = Task {
        try await player.play(try HapticPattern([HapticPulse(start: 0, length: 30_000, strong: 1, weak: 1)]))
      }
      #expect(await device.wait { $0.contains(where: HapticLab.isStart) })
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(await device.wait { $0.last.map { if case .play(_, 0, _) = $0 { true } else { false } } ?? false })
    }

    @Test("the kernel stops and erases the effects of a program that was killed", arguments: [SIGKILL, SIGTERM])
    func killed(_ signal: Int32) async throws {
      let device = try VirtualRumbleDevice()
      let user = try User()
      let program = try user.start(
        ["haptic", "play", "-"], input: #"[{"atMs": 0, "durationMs": 30000, "strong": 1, "weak": 1}]"#)
      #expect(await device.wait { $0.contains(where: HapticLab.isStart) }, "\(program.errors)")
      #expect(device.uploaded.count == 1)
      program.send(signal: signal)
      #expect(await program.finish().status == 128 + signal)
      #expect(await device.wait { $0.contains(where: HapticLab.isErase) })
      #expect(device.uploaded.isEmpty)
      let stopped = device.events.contains { if case .play(_, 0, _) = $0 { true } else { false } }
      #expect(stopped, "\(device.events)")
    }

    @Test("sets the gain of the device when it is opened, and before each pattern that is played alone")
    func gain() async throws {
      let device = try VirtualRumbleDevice()
      let user = try User()
      let loud = user.player()
      for _ in 0..<3 { try await loud.play(HapticWord.selection.pattern) }
      let quiet = user.player(gain: 0.5)
      try await quiet.play(HapticWord.selection.pattern)
      let gains = device.events.compactMap { event -> Int32? in if case .gain(let value) = event { value } else { nil }
      }
      #expect(gains == [0xFFFF, 0xFFFF, 0xFFFF, 0x8000])

      var model = VirtualRumbleDevice.Model.pad("Without gain")
      model.forces = [FF_RUMBLE]
      let plain = try VirtualRumbleDevice(model)
      try await HapticLab.whileTheMachineRuns {
        plain.forgetEntries()
        try await user.player(.path(plain.path)).play(HapticWord.selection.pattern)
        HapticLab.check(plain, felt: HapticLab.words.first?.felt ?? [], "without gain")
      }
    }

    @Test(
      "on a device with periodic effects, a ramp is a sine with an envelope, and the kernel converts rumble to a sine")
    func waves() async throws {
      var model = VirtualRumbleDevice.Model.pad("Lab Waves")
      model.forces = [FF_PERIODIC, FF_SINE]
      let device = try VirtualRumbleDevice(model)
      let player = try User().player()
      try await HapticLab.whileTheMachineRuns {
        device.forgetEntries()
        try await player.play(HapticWord.impact(.soft).pattern)
        HapticLab.check(device, felt: [PlayedEffect(0, .sine(magnitude: 0x3333, attack: 60), 180)], "soft")
        device.forgetEntries()
        try await player.play(HapticWord.impact(.medium).pattern)
        // `compat_effect`: a third of the strong motor and a sixth of the weak one.
        HapticLab.check(device, felt: [PlayedEffect(0, .sine(magnitude: 0x3FFF, attack: 0), 60)], "medium")
      }
    }

    @Test("reports that a device with wheel effects only cannot rumble")
    func wheel() async throws {
      var model = VirtualRumbleDevice.Model.pad("Lab Spring")
      model.forces = [FF_SPRING, FF_CONSTANT]
      let device = try VirtualRumbleDevice(model)
      let user = try User()
      let list = try await user.tessera(["haptic", "devices"])
      #expect(list.output.contains("\(device.path) supports force feedback, but neither rumble"), "\(list.output)")
      let run = try await user.tessera(["haptic", "impact", "light", "--require"])
      #expect(run.status == 3 && run.errors.contains("but neither rumble"), "\(run.errors)")
    }

    @Test("has no wake-ups in ten idle seconds with an open device and pressed buttons")
    func idle() async throws {
      let device = try VirtualRumbleDevice()
      let player = try User().player()
      try await player.play(HapticWord.notification(.error).pattern)
      await player.finish()
      // The thread reports before it sleeps.
      try await Task.sleep(for: .milliseconds(500))
      let before = try Self.switches()
      for _ in 0..<100 {
        device.press(BTN_SOUTH)
        try await Task.sleep(for: .milliseconds(100))
      }
      let after = try Self.switches()
      print("Idle, ten seconds, 200 button events: the player's thread woke \(after - before) times")
      #expect(after == before)
      #expect(await player.isAvailable())
    }

    /// The wake-ups of the player's thread.
    private static func switches() throws -> Int {
      let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
      let players = tasks.filter {
        (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "haptics\n"
      }
      // The newest thread: those of earlier tests may not have ended yet.
      let newest = try #require(players.max { (Int($0) ?? 0) < (Int($1) ?? 0) })
      let status = try String(contentsOfFile: "/proc/self/task/\(newest)/status", encoding: .utf8)
      return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
        .compactMap { Int($0.split(separator: "\t").last ?? "") }.reduce(0, +)
    }
  }
}
