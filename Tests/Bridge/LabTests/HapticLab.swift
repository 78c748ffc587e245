import Foundation
import LabDevices
import Synchronization
import TesseraHaptics
import TestSupport
import Testing

/// Haptics on the kernel's force feedback, with a virtual gamepad. One test at a time, because a machine has one
/// default device.
@Suite("Haptics on the kernel's force feedback", .serialized, .enabled(if: VirtualMachine.isInside))
enum HapticLab {
  /// An effect that was uploaded and started.
  struct PlayedEffect: Equatable, CustomStringConvertible {
    /// Milliseconds after the first start.
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

  /// The permitted delay of an effect under emulation, in milliseconds.
  static let tolerance = 20
  static let stalls = StallMeter()
  /// The stalls during a whole test; `stalls` has those since the last check.
  static let testStalls = StallMeter()

  /// The expected effects of each word on a device with two motors, in units of the device. Written by hand,
  /// independently of the table in Sources/Haptics/TesseraHaptics/Patterns/HapticPatterns.swift; change both together.
  static let words: [(word: HapticWord, felt: [PlayedEffect])] = [
    (.selection, [PlayedEffect(0, strong: 0, weak: 0x8000, 20)]),
    (.impact(.light), [PlayedEffect(0, strong: 0, weak: 0xB333, 40)]),
    (.impact(.medium), [PlayedEffect(0, strong: 0x8000, weak: 0x8000, 60)]),
    (.impact(.heavy), [PlayedEffect(0, strong: 0xFFFF, weak: 0x9999, 110)]),
    (.impact(.rigid), [PlayedEffect(0, strong: 0xFFFF, weak: 0xFFFF, 30)]),
    (
      .impact(.soft),
      [
        PlayedEffect(0, strong: 0x2222, weak: 0x2222, 30), PlayedEffect(30, strong: 0x4444, weak: 0x4444, 30),
        PlayedEffect(60, strong: 0x6666, weak: 0x6666, 120),
      ]
    ),
    (
      .notification(.success),
      [PlayedEffect(0, strong: 0, weak: 0xCCCC, 50), PlayedEffect(130, strong: 0xB333, weak: 0x6666, 90)]
    ),
    (
      .notification(.warning),
      [PlayedEffect(0, strong: 0xCCCC, weak: 0, 90), PlayedEffect(180, strong: 0xCCCC, weak: 0, 90)]
    ),
    (
      .notification(.error),
      [0, 130, 260].map { PlayedEffect($0, strong: 0xFFFF, weak: 0xE666, 80) }
    ),
  ]

  /// The effects that the device started, in order.
  static func felt(_ entries: [VirtualRumbleDevice.Entry]) -> [PlayedEffect] {
    let starts = entries.compactMap { entry -> (Double, VirtualRumbleDevice.Effect)? in
      guard case .play(_, 1, let effect?) = entry.event else { return nil }
      return (entry.time, effect)
    }
    let first = starts.first?.0 ?? 0
    return starts.map { PlayedEffect(Int(($0.0 - first).rounded()), $0.1.force, $0.1.length) }
  }

  /// Checks the started effects exactly, and their times with a tolerance.
  ///
  /// - Returns: The maximum deviation, in milliseconds.
  @discardableResult
  static func check(
    _ device: VirtualRumbleDevice, felt expected: [PlayedEffect], _ what: String,
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
      found.map { PlayedEffect(0, $0.force, $0.length) } == expected.map { PlayedEffect(0, $0.force, $0.length) },
      "\(what): \(found)",
      sourceLocation: sourceLocation)
    let deviation = zip(found, expected).map { abs($0.start - $1.start) }.max() ?? .max
    let stall = stalls.worst
    stalls.reset()
    #expect(
      deviation <= tolerance + stall, "\(what): \(found); the machine stalled for \(stall) ms",
      sourceLocation: sourceLocation)
    return deviation
  }

  /// Runs a test of the timing of effects. If the emulated machine stalls, effects can be late or missing without a
  /// fault of the player. Such a failure is a known issue, and the test is repeated until it passes or fails without a
  /// stall. If the machine stalls in every attempt, the test reports that it has no result.
  static func whileTheMachineRuns(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async throws {
    let attempts = 5
    for attempt in 1...attempts {
      testStalls.reset()
      stalls.reset()
      let hasFailed = Mutex(false)
      try await withKnownIssue(isIntermittent: true, sourceLocation: sourceLocation) {
        try await body()
      } matching: { issue in
        hasFailed.withLock { $0 = true }
        return isMachineSlow && !issue.comments.contains { $0.rawValue.hasPrefix(neverExcused) }
      }
      let measured =
        "the machine stalled for \(testStalls.worst) ms at most, and for \(testStalls.lostShare) % of the time"
      guard hasFailed.withLock({ $0 }) else {
        print("Passed; \(measured)")
        return
      }
      print("Attempt \(attempt) of \(attempts) failed; \(measured)")
      guard isMachineSlow else { return }
      try await Task.sleep(for: .seconds(1))
    }
    print("No result: the machine stalled in each of \(attempts) attempts")
  }

  /// A stall drops or delays effects. It does not add effects that are not in the pattern, and does not change their
  /// order.
  private static let neverExcused = "an effect that is not the pattern's:"

  private static var isMachineSlow: Bool { testStalls.worst >= 15 || testStalls.lostShare >= 25 }

  static func isStart(_ event: VirtualRumbleDevice.Event) -> Bool {
    if case .play(_, 1, _) = event { true } else { false }
  }

  static func isUpload(_ event: VirtualRumbleDevice.Event) -> Bool {
    if case .upload = event { true } else { false }
  }

  static func isErase(_ event: VirtualRumbleDevice.Event) -> Bool {
    if case .erase = event { true } else { false }
  }

  /// Runs the program with a private folder.
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
