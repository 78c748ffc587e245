import TesseraBridge
package import TesseraKiosk
import TesseraThreads
import TesseraWebContent

/// How a kiosk without staff goes on when its page is gone, and what its page learns besides.
package struct UnattendedKiosk: Sendable {
  /// When the page is loaded again, and when the launch fails.
  package var restarts: RestartPolicy
  /// Events for each document.
  package var events: (@Sendable () -> AsyncStream<BridgeMessage>)?
  /// Whether the log has the errors of the page's scripts, which may say something of a document.
  package var logsPage = false
  /// What the window says in place of the page.
  package var notice: KioskNotice
  /// Receives a sentence for the operator.
  package var log: @Sendable (String) -> Void
  /// Learns that the page is loaded anew, by the code of the failure.
  package var onRestart: (@Sendable (String) -> Void)?
  /// Learns that the launch ends since the page failed so often in a row.
  package var onGiveUp: (@Sendable (Int) -> Void)?

  package init(
    restarts: RestartPolicy, events: (@Sendable () -> AsyncStream<BridgeMessage>)? = nil,
    notice: KioskNotice = KioskNotice(nil, [:]), log: @escaping @Sendable (String) -> Void
  ) {
    self.restarts = restarts
    self.events = events
    self.notice = notice
    self.log = log
  }
}

/// Loads the page of a kiosk again after a while.
@MainActor
final class PageRecovery {
  /// How long a page may be late before it is loaded again.
  private static let patience = Duration.seconds(60)

  private var restarts: RestartPolicy
  private let notice: KioskNotice
  private let log: @Sendable (String) -> Void
  private let onRestart: (@Sendable (String) -> Void)?
  private let onGiveUp: (@Sendable (Int) -> Void)?
  private let clock: any MonotonicClock
  /// When the present page arrived.
  private var shownSince: ContinuousClock.Instant?
  private var wait: Task<Void, Never>?

  init(_ kiosk: UnattendedKiosk, clock: any MonotonicClock) {
    restarts = kiosk.restarts
    notice = kiosk.notice
    log = kiosk.log
    onRestart = kiosk.onRestart
    onGiveUp = kiosk.onGiveUp
    self.clock = clock
  }

  func arrived() {
    shownSince = clock.now
    cancel()
  }

  func cancel() {
    wait?.cancel()
    wait = nil
  }

  /// - Returns: how long to wait before the next load; nil to give up.
  private func counted(_ failure: VerificationError, _ shown: Duration?) -> Duration? {
    let delay = restarts.failed(shown: shown)
    if delay != nil { onRestart?(failure.code) }
    log("\(failure.message) (\(failure.code), \(restarts.failures) in a row)")
    if delay == nil { onGiveUp?(restarts.failures) }
    return delay
  }

  /// Covers the window, and calls `load` after a while, or at once if a guest presses the button.
  ///
  /// - Parameter giveUp: called instead after too many failures in a row.
  func recover(
    _ failure: VerificationError, over window: ContentWindow, load: @escaping @MainActor () -> Void,
    giveUp: @escaping @MainActor () -> Void
  ) {
    let shown = shownSince.map { $0.duration(to: clock.now) }
    shownSince = nil
    cancel()
    // The load goes on: a page that is only late is shown when it arrives, and is no failure until it is loaded anew.
    let isLate = failure.code == "LOAD_TIMEOUT"
    guard let delay = isLate ? Self.patience : counted(failure, shown) else { return giveUp() }
    if isLate { log("\(failure.message) (\(failure.code))") }
    let again: @MainActor () -> Void = { [weak self] in
      self?.cancel()
      if isLate, let self, counted(failure, shown) == nil { return giveUp() }
      load()
    }
    window.show(
      ContentNotice.Text(title: notice.title, message: notice.message, button: notice.button), onPress: again)
    wait = Task { [clock, delay] in
      guard (try? await clock.sleep(for: delay)) != nil, !Task.isCancelled else { return }
      window.hideNotice()
      again()
    }
  }
}
