import Foundation
import Threads

/// Plays haptic patterns on a force-feedback device, on a thread of its own that is asleep while nothing is played.
///
/// ```swift
/// let player = RumblePlayer()
/// player.start(HapticWord.notification(.success).pattern)      // felt in a moment; without a device, nothing
/// let report = try await player.play(HapticPattern(json: file))   // waits until it has been felt
/// ```
///
/// The device is opened at first use and stays open until it is unplugged or the player goes away; its end stops what it
/// plays. How several callers mix is said in `PlaybackSchedule`, how a device is chosen in `DeviceSelection`.
public final class RumblePlayer: Sendable {
  private let mailbox = PlayerMailbox()
  private let source: any EffectDeviceSource
  private let hasThread = Locked(false)

  /// - Parameters:
  ///   - device: where it is played.
  ///   - gain: the volume of the whole device, 0 to 1, set when it is opened; nil leaves what somebody else has set.
  ///   - memory: where the device that was used last is remembered.
  public convenience init(
    device: DeviceSelection = .automatic, gain: Double? = nil, memory: LastUsedDevice = .standard
  ) {
    self.init(source: RumbleDeviceSource(selection: device, gain: gain, memory: memory))
  }

  package init(source: any EffectDeviceSource) { self.source = source }

  deinit { mailbox.end() }

  /// Starts a pattern and does not wait for anything. Where there is no device, nothing is felt, and nobody told.
  public func start(_ pattern: HapticPattern) {
    mailbox.play(pattern, PlaybackTicket())
    startThread()
  }

  /// Plays a pattern to its end. Cancelling the task stops it.
  ///
  /// - Returns: how it ended. A device that was unplugged meanwhile is an end, not an error.
  /// - Throws: `HapticError` where nothing can be played; `CancellationError`.
  @discardableResult
  public func play(_ pattern: HapticPattern) async throws -> PlaybackReport {
    let ticket = PlaybackTicket()
    let report = try await withTaskCancellationHandler {
      mailbox.play(pattern, ticket)
      startThread()
      return await ticket.outcome()
    } onCancel: {
      ticket.cancel()
      mailbox.wake()
    }.get()
    if report.end == .cancelled { throw CancellationError() }
    return report
  }

  /// Whether there is a device that can be opened.
  public func isAvailable() async -> Bool {
    startThread()
    return await withCheckedContinuation { mailbox.ask($0) }
  }

  /// Waits until everything that was begun has been felt.
  public func finish() async {
    guard hasThread.withLock({ $0 }) else { return }
    await withCheckedContinuation { mailbox.waitForRest($0) }
  }

  /// A process that never rumbles has no thread for it.
  private func startThread() {
    let isFirst = hasThread.withLock { hasThread in
      defer { hasThread = true }
      return !hasThread
    }
    guard isFirst else { return }
    // The thread holds the mailbox and not the player, whose end it would otherwise put off for ever.
    let thread = Thread { [mailbox, source] in
      // From inside: a name that is given before the start is not told to the kernel.
      Thread.current.name = "haptics"
      var loop = PlaybackLoop(mailbox: mailbox, source: source)
      loop.run()
    }
    thread.start()
  }
}
