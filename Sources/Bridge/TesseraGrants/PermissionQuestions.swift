package import TesseraBridge
import TesseraThreads

/// What a page asks for that no grant mentions.
package struct PermissionQuestion: Sendable, Hashable {
  package let origin: String
  package let domain: BridgeDomain

  package init(origin: String, domain: BridgeDomain) { (self.origin, self.domain) = (origin, domain) }
}

package enum PermissionAnswer: String, Sendable, CaseIterable {
  case always, never
  /// Until the window or the connection is closed.
  case once
  /// The dialog was closed: no, and the page may ask again.
  case notNow
  /// No dialog could be shown, so that nobody was asked: no, and the page may ask again.
  case notShown

  package var isYes: Bool { self == .always || self == .once }
}

/// Asks the user about pages: one question at a time, so that a page cannot cover the screen with dialogs.
package actor PermissionQuestions {
  package typealias Ask = @Sendable (PermissionQuestion) async -> PermissionAnswer

  /// What is not asked about for a time after the user has closed a dialog.
  package enum Pause: Sendable {
    /// The same question, for ten seconds: the user sees the page, and can close it.
    case question
    /// All of the origin, for ten seconds, and twice as long after each further dialog: the user may not know the page.
    case origin
  }

  private struct Waiter {
    let question: PermissionQuestion
    let connection: BridgeConnection
    let note: @Sendable (PermissionAnswer) -> Void
    let continuation: CheckedContinuation<PermissionAnswer?, Never>
  }
  private struct Dismissals {
    var count = 0
    var answer = PermissionAnswer.notNow
    var until: ContinuousClock.Instant
  }

  private let ask: Ask
  private let pause: Pause
  private let clock: any MonotonicClock
  private var open: (question: PermissionQuestion, dialog: Task<Void, Never>)?
  private var waiters: [Int: Waiter] = [:]
  private var count = 0
  private var dismissals: [String: Dismissals] = [:]
  private var isEnding = false

  private static let shortestPause = Duration.seconds(10)
  private static let longestPause = Duration.seconds(600)
  /// Origins are the pages' choice.
  private static let mostDismissals = 1_000
  /// The requests of an origin that wait for an answer.
  private static let mostWaiters = 64

  package init(pause: Pause, clock: any MonotonicClock = ContinuousClock(), _ ask: @escaping Ask) {
    (self.pause, self.clock, self.ask) = (pause, clock, ask)
  }

  /// Asks, or waits for the answer to the same question. The dialog closes when nobody waits for it any more; a cancelled
  /// task does not.
  ///
  /// - Parameters:
  ///   - connection: whose request waits.
  ///   - decided: what is known by now: the answer to a question that was open meanwhile may decide this one, too.
  ///   - keep: receives the answer once, before anyone who waits for it goes on.
  ///   - note: receives the answer for each request that waits for it, before it goes on.
  package func answer(
    to question: PermissionQuestion, for connection: BridgeConnection,
    decided: @Sendable () -> PermissionAnswer?, keep: @escaping @Sendable (PermissionAnswer) -> Void,
    note: @escaping @Sendable (PermissionAnswer) -> Void = { _ in }
  ) async -> PermissionAnswer {
    while !Task.isCancelled, !isEnding {
      if open == nil {
        if let answer = paused(question) { return answer }
        if let answer = decided() { return answer }
        let dialog = Task {
          let answer = await ask(question)
          finish(question, answer, isWithdrawn: Task.isCancelled, keep)
        }
        open = (question, dialog)
      }
      guard waiters.values.count(where: { $0.question.origin == question.origin }) < Self.mostWaiters else {
        return .notNow
      }
      if let answer = await wait(question, connection, note) { return answer }
    }
    return .notNow
  }

  /// - Returns: the answer to this question; nil if another one was open until now.
  private func wait(
    _ question: PermissionQuestion, _ connection: BridgeConnection,
    _ note: @escaping @Sendable (PermissionAnswer) -> Void
  ) async -> PermissionAnswer? {
    count += 1
    let number = count
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters[number] = Waiter(question: question, connection: connection, note: note, continuation: continuation)
        if Task.isCancelled { leave(number) }
      }
    } onCancel: {
      Task { await self.leave(number) }
    }
  }

  private func leave(_ number: Int) {
    waiters.removeValue(forKey: number)?.continuation.resume(returning: .notNow)
    if let open, !waiters.values.contains(where: { $0.question == open.question }) { open.dialog.cancel() }
  }

  private func finish(
    _ question: PermissionQuestion, _ answer: PermissionAnswer, isWithdrawn: Bool, _ keep: (PermissionAnswer) -> Void
  ) {
    open = nil
    // A dialog that nobody waits for any more may end before it is shown.
    let answer = isWithdrawn && answer == .notShown ? .notNow : answer
    if !isWithdrawn { delay(question, answer) }
    keep(answer)
    let ending = waiters.values
    waiters = [:]
    for waiter in ending where waiter.question == question { waiter.note(answer) }
    for waiter in ending { waiter.continuation.resume(returning: waiter.question == question ? answer : nil) }
  }

  /// The connection does not want the answers about the domain any more.
  package func withdraw(_ connection: BridgeConnection, _ domain: BridgeDomain) {
    for (number, waiter) in waiters where waiter.connection == connection && waiter.question.domain == domain {
      leave(number)
    }
  }

  /// Closes the dialog and asks no more.
  package func end() async {
    isEnding = true
    for number in waiters.keys { leave(number) }
    await open?.dialog.value
  }

  // MARK: - Pauses

  private func subject(_ question: PermissionQuestion) -> String {
    pause == .origin ? question.origin : "\(question.origin) \(question.domain)"
  }

  /// - Returns: the answer of the last dialog as long as there is no other one; nil if there may be.
  private func paused(_ question: PermissionQuestion) -> PermissionAnswer? {
    guard let dismissed = dismissals[subject(question)] else {
      return dismissals.count >= Self.mostDismissals ? .notNow : nil
    }
    return clock.now < dismissed.until ? dismissed.answer : nil
  }

  private func delay(_ question: PermissionQuestion, _ answer: PermissionAnswer) {
    let subject = subject(question)
    guard answer == .notNow || answer == .notShown else {
      dismissals[subject] = nil
      return
    }
    if dismissals.count >= Self.mostDismissals { dismissals = dismissals.filter { $0.value.until > clock.now } }
    var dismissed = dismissals[subject] ?? Dismissals(until: clock.now)
    let pause = pause == .origin ? Self.shortestPause * (1 << min(dismissed.count, 6)) : Self.shortestPause
    dismissed.count += 1
    dismissed.answer = answer
    dismissed.until = clock.now.advanced(by: min(pause, Self.longestPause))
    dismissals[subject] = dismissed
  }
}

extension Grants {
  /// The answer that the grants give; nil if they do not mention the domain.
  package func answer(to question: PermissionQuestion) -> PermissionAnswer? {
    switch decision(.web(origin: question.origin), question.domain, "") {
    case .granted: .once
    case .denied: .never
    case .undecided: nil
    }
  }
}

extension PermissionQuestion {
  /// The line that keeps an answer in the grants file; nil for an answer that is not kept.
  package func grant(_ answer: PermissionAnswer) -> Grant? {
    let (caller, permission) = (Caller.web(origin: origin), Grant.Permission(domain))
    return switch answer {
    case .always: Grant(caller, [permission])
    case .never: Grant(caller, [], denying: [permission])
    case .once, .notNow, .notShown: nil
    }
  }
}
