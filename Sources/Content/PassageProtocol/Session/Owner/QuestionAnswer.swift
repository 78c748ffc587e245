/// The answer to a question in the window. The user gives one, and not at once: what was typed or clicked for the
/// page must not answer.
@MainActor
package final class QuestionAnswer {
  private let clock: any Clock<Duration>
  private let give: @MainActor (Bool) -> Void
  private var isOver = false
  /// Whether the user may answer.
  package private(set) var isPossible = false
  private static let delay = Duration.milliseconds(500)

  /// - Parameter give: takes the answer, once.
  package init(clock: any Clock<Duration> = ContinuousClock(), give: @escaping @MainActor (Bool) -> Void) {
    self.clock = clock
    self.give = give
  }

  /// The question is shown. Tells when the user may answer it.
  package func begin(then possible: @escaping @MainActor () -> Void) {
    Task { [weak self, clock] in
      guard (try? await clock.sleep(for: Self.delay)) != nil, let self, !isOver else { return }
      isPossible = true
      possible()
    }
  }

  /// The user answers. Nothing happens as long as that is not possible.
  package func answer(_ isAccepted: Bool) { if isPossible { end(with: isAccepted) } }

  /// Refuses for the user, who is asked something else now.
  package func refuse() { end(with: false) }

  /// Ends the question without an answer.
  package func end() { isOver = true }

  private func end(with isAccepted: Bool) {
    guard !isOver else { return }
    isOver = true
    give(isAccepted)
  }
}
