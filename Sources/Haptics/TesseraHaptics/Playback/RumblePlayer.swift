import TesseraThreads

/// Plays haptic patterns on a force-feedback device, on a dedicated thread that sleeps while nothing is being played.
///
/// ```swift
/// let pattern = try HapticPattern(json: file)
/// player.start(.notification(.success))  // returns at once
/// try await player.play(pattern)  // returns at the end of the pattern
/// ```
///
/// The device is opened at first use and stays open until it is unplugged or the player is released, which stops all
/// playbacks. `DeviceSelection` describes the choice of the device. Different patterns are played at the same time, at
/// most eight; a pattern that is started again starts over.
public final class RumblePlayer: Sendable {
  private let mailbox = PlayerMailbox()
  private let source: any EffectDeviceSource
  private let clock: any MonotonicClock
  private let hasThread = Locked(false)

  /// - Parameters:
  ///   - device: The choice of the device.
  ///   - gain: The gain of the whole device, 0 to 1, set when it is opened and before each pattern that is played alone;
  ///     nil to leave it as another program left it. The device keeps it.
  ///   - memory: The file with the device that was used last.
  public convenience init(
    device: DeviceSelection = .automatic, gain: Double? = 1, memory: LastUsedDevice = .standard
  ) {
    self.init(source: RumbleDeviceSource(selection: device, gain: gain, memory: memory))
  }

  package init(source: any EffectDeviceSource, clock: any MonotonicClock = ContinuousClock()) {
    self.source = source
    self.clock = clock
  }

  deinit { mailbox.end() }

  /// Starts a pattern and returns at once. Without a device nothing happens, and no error is reported.
  public func start(_ pattern: HapticPattern) {
    mailbox.play(pattern, PlaybackTicket())
    startThread()
  }

  /// Starts a predefined effect, as `start` of its pattern.
  public func start(_ word: HapticWord) { start(word.pattern) }

  /// Plays a predefined effect to its end, as `play` of its pattern.
  ///
  /// - Throws: `HapticError` if no device can play it; `CancellationError`.
  @discardableResult
  public func play(_ word: HapticWord) async throws -> PlaybackReport { try await play(word.pattern) }

  /// Plays a pattern to its end. Cancelling the task stops it.
  ///
  /// - Returns: The result. A device that was unplugged during the playback is an outcome, not an error.
  /// - Throws: `HapticError` if no device can play the pattern; `CancellationError`.
  @discardableResult
  public func play(_ pattern: HapticPattern) async throws -> PlaybackReport {
    let ticket = PlaybackTicket()
    let report = try await withTaskCancellationHandler {
      mailbox.play(pattern, ticket)
      startThread()
      return try await ticket.report
    } onCancel: {
      ticket.cancel()
      mailbox.wake()
    }
    if report.outcome == .cancelled { throw CancellationError() }
    return report
  }

  /// Whether there is a device that can be opened.
  public func isAvailable() async -> Bool {
    startThread()
    return await withCheckedContinuation { mailbox.ask($0) }
  }

  /// Waits until all playbacks have ended.
  public func finish() async {
    guard hasThread.withLock({ $0 }) else { return }
    await withCheckedContinuation { mailbox.waitForRest($0) }
  }

  /// The thread starts with the first request.
  private func startThread() {
    let isFirst = hasThread.withLock { hasThread in
      defer { hasThread = true }
      return !hasThread
    }
    guard isFirst else { return }
    // The thread has no reference to the player, which could otherwise never be released.
    DetachedThread.start(name: "haptics") { [mailbox, source, clock] in
      var loop = PlaybackLoop(mailbox: mailbox, source: source, clock: clock)
      loop.run()
    }
  }
}
