/// The end (Passage.md, rule 15).
extension PassageSession {
  /// The first press asks the UI page; the second one closes.
  mutating func pressedClose() {
    guard viewBeforeClosing == nil, asked == nil else { return close(.userAction) }
    viewBeforeClosing = visible
    uncover(.ui)
    effects.append(.askCloseConfirmation)
  }

  mutating func cancelledClosing() {
    guard let view = viewBeforeClosing else { return }
    viewBeforeClosing = nil
    uncover(view)
  }

  /// Hides the window, and tells the server, which has one second to take it.
  mutating func close(_ reason: PassageExitReason) {
    for timer in timers { cancel(timer) }
    open = []
    pending = [:]
    undelivered = []
    effects.append(.dismiss)
    count(.modalClosed)
    // What waits is sent at once; nobody waits for the answer.
    analyticsTimerFired()
    phase = .closing(reason)
    guard isConnected else { return end(reason) }
    emit(.modalExit(token: token, at: time))
    start(.modalExit, SessionTiming.modalExit)
  }

  mutating func closing(_ input: PassageInput, _ reason: PassageExitReason) {
    switch input {
    case .socket(.acknowledged(SocketEmission.modalExitName)), .socket(.disconnected), .socket(.failed),
      .timer(.modalExit):
      end(reason)
    default: break
    }
  }

  private mutating func end(_ reason: PassageExitReason) {
    cancel(.modalExit)
    if isSocketOpen { effects.append(.disconnectSocket) }
    isConnected = false
    phase = .ended
    effects += [.callback(.exit(reason)), .end(reason)]
  }
}
