import Foundation
import Haptics
import LabDevices
import Synchronization
import TestSupport
import Testing

/// Haptics on the kernel's real force feedback, with a virtual pad below it. One test at a time: the default device of a
/// machine is one.
@Suite("Haptics on the kernel's force feedback", .serialized, .enabled(if: VirtualMachine.isInside))
enum HapticLab {
  /// An effect as it arrived and was started.
  struct Felt: Equatable, CustomStringConvertible {
    /// From the first start, in milliseconds.
    let start: Int
    let force: VirtualRumbleDevice.Effect.Force
    let length: UInt16

    init(_ start: Int, strong: UInt16, weak: UInt16, _ length: UInt16) {
      self.init(start, .rumble(strong: strong, weak: weak), length)
    }

    init(_ start: Int, _ force: VirtualRumbleDevice.Effect.Force, _ length: UInt16) {
      self.start = start
      self.force = force
      self.length = length
    }

    var description: String { "\(start) ms: \(force), \(length) ms" }
  }

  /// How late an effect may be under emulation, in milliseconds.
  static let tolerance = 20
  static let stalls = StallMeter()
  /// For a whole test; the other is asked by each check.
  static let standstills = StallMeter()

  /// What each word has to be at a device with two motors, in the device's own measure. Written by hand, beside the table
  /// in Sources/Haptics/Patterns/HapticPatterns.swift: who changes that changes this.
  static let words: [(word: HapticWord, felt: [Felt])] = [
    (.selection, [Felt(0, strong: 0, weak: 0x8000, 20)]),
    (.impact(.light), [Felt(0, strong: 0, weak: 0xB333, 40)]),
    (.impact(.medium), [Felt(0, strong: 0x8000, weak: 0x8000, 60)]),
    (.impact(.heavy), [Felt(0, strong: 0xFFFF, weak: 0x9999, 110)]),
    (.impact(.rigid), [Felt(0, strong: 0xFFFF, weak: 0xFFFF, 30)]),
    (
      .impact(.soft),
      [
        Felt(0, strong: 0x2222, weak: 0x2222, 30), Felt(30, strong: 0x4444, weak: 0x4444, 30),
        Felt(60, strong: 0x6666, weak: 0x6666, 120),
      ]
    ),
    (.notification(.success), [Felt(0, strong: 0, weak: 0xCCCC, 50), Felt(130, strong: 0xB333, weak: 0x6666, 90)]),
    (.notification(.warning), [Felt(0, strong: 0xCCCC, weak: 0, 90), Felt(180, strong: 0xCCCC, weak: 0, 90)]),
    (
      .notification(.error),
      [0, 130, 260].map { Felt($0, strong: 0xFFFF, weak: 0xE666, 80) }
    ),
  ]

  /// What was started at the device, in order.
  static func felt(_ entries: [VirtualRumbleDevice.Entry]) -> [Felt] {
    let starts = entries.compactMap { entry -> (Double, VirtualRumbleDevice.Effect)? in
      guard case .play(_, 1, let effect?) = entry.event else { return nil }
      return (entry.time, effect)
    }
    let first = starts.first?.0 ?? 0
    return starts.map { Felt(Int(($0.0 - first).rounded()), $0.1.force, $0.1.length) }
  }

  /// Checks what was started, exactly but for the time.
  ///
  /// - Returns: the greatest deviation, in milliseconds.
  @discardableResult
  static func check(
    _ device: VirtualRumbleDevice, felt expected: [Felt], _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Int {
    let found = felt(device.entries)
    var due = expected[...]
    let isPart = found.allSatisfy { played in
      guard let index = due.firstIndex(where: { $0.force == played.force && $0.length == played.length }) else {
        return false
      }
      due = due[(index + 1)...]
      return true
    }
    #expect(isPart, "\(neverExcused) \(what): \(found)", sourceLocation: sourceLocation)
    #expect(
      found.map { Felt(0, $0.force, $0.length) } == expected.map { Felt(0, $0.force, $0.length) }, "\(what): \(found)",
      sourceLocation: sourceLocation)
    let deviation = zip(found, expected).map { abs($0.start - $1.start) }.max() ?? .max
    let stall = stalls.worst
    stalls.reset()
    #expect(
      deviation <= tolerance + stall, "\(what): \(found); the machine stood still for \(stall) ms",
      sourceLocation: sourceLocation)
    return deviation
  }

  /// Runs a test of what is felt when. Where the emulated machine stood still meanwhile, effects may be late or left out by
  /// no fault of the player's: such a failure is a known issue, and the test is repeated until it passes or has failed
  /// without a standstill. A machine that stands still in every attempt cannot judge the player, and the test says so.
  static func whileTheMachineRuns(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async throws {
    let attempts = 5
    for attempt in 1...attempts {
      standstills.reset()
      stalls.reset()
      let hasFailed = Mutex(false)
      try await withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
        try await body()
      } matching: { issue in
        hasFailed.withLock { $0 = true }
        return isMachineSlow && !issue.comments.contains { $0.rawValue.hasPrefix(neverExcused) }
      }
      let measured =
        "the machine stood still for \(standstills.worst) ms, and for \(standstills.lostShare) % of the time"
      guard hasFailed.withLock({ $0 }) else {
        print("Passed; \(measured)")
        return
      }
      print("Attempt \(attempt) of \(attempts) failed; \(measured)")
      guard isMachineSlow else { return }
      try await Task.sleep(for: .seconds(1))
    }
    print("Not judged: the machine stood still in each of \(attempts) attempts")
  }

  /// A standstill leaves effects out or delays them; it makes none that the pattern does not have, and changes no order.
  private static let neverExcused = "an effect that is not the pattern's:"

  private static var isMachineSlow: Bool { standstills.worst >= 15 || standstills.lostShare >= 25 }

  static func isStart(_ event: VirtualRumbleDevice.Event) -> Bool {
    if case .play(_, 1, _) = event { true } else { false }
  }

  static func isUpload(_ event: VirtualRumbleDevice.Event) -> Bool {
    if case .upload = event { true } else { false }
  }

  static func isErase(_ event: VirtualRumbleDevice.Event) -> Bool {
    if case .erase = event { true } else { false }
  }

  /// A folder of the test's own, and the program with it.
  final class User: Sendable {
    let folder: TemporaryFolder
    init() throws {
      folder = try TemporaryFolder()
      HapticLab.stalls.reset()
    }

    var memory: LastUsedDevice { LastUsedDevice(path: folder.file("tessera/haptic-device.json")) }
    var environment: [String: String] { ["XDG_DATA_HOME": folder.url.path] }

    func tessera(_ arguments: [String], input: String? = nil) async throws -> ProgramRun {
      try await ProgramRun.tessera(arguments, input: input, environment: environment)
    }

    func start(_ arguments: [String], input: String? = nil) throws -> RunningProgram {
      try RunningProgram(ProgramRun.tessera, arguments, input: input, environment: environment)
    }

    func player(_ device: DeviceSelection = .automatic, gain: Double = 1) -> RumblePlayer {
      RumblePlayer(device: device, gain: gain, memory: memory)
    }
  }
}
