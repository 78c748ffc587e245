import Testing

@testable import PassageProtocol

/// When a question is answered, and by whom.
@Suite(.timeLimit(.minutes(5))) @MainActor struct QuestionAnswerTests {
  @MainActor
  private final class Question {
    let clock = GateClock()
    private let possible = Gate()
    private(set) var given: [Bool] = []
    private(set) var tellings = 0
    private(set) lazy var answer = QuestionAnswer(clock: clock) { [weak self] in self?.given.append($0) }

    init() {
      answer.begin { [weak self] in
        self?.tellings += 1
        self?.possible.open()
      }
    }

    /// The time passes, until the user is told.
    func pass() async -> Duration? {
      let time = await clock.pass()
      _ = await possible.wait()
      return time
    }
  }

  @Test("An early Escape and an early press answer nothing; the first answer after half a second counts")
  func early() async throws {
    let question = Question()
    for isAccepted in [false, true] { question.answer.answer(isAccepted) }
    try #require(question.given.isEmpty && !question.answer.isPossible && question.tellings == 0)
    #expect(await question.pass() == .milliseconds(500))
    #expect(question.given.isEmpty && question.answer.isPossible && question.tellings == 1)
    question.answer.answer(true)
    question.answer.answer(false)
    question.answer.refuse()
    #expect(question.given == [true])
  }

  @Test("The program refuses at once, and ends without an answer", arguments: [[false], []])
  func program(given: [Bool]) async {
    let question = Question()
    if given.isEmpty { question.answer.end() } else { question.answer.refuse() }
    question.answer.refuse()
    // Another question shows that the time of the first one would have been told.
    let other = Question()
    _ = await question.clock.pass()
    _ = await other.pass()
    question.answer.answer(true)
    #expect(question.given == given && question.tellings == 0 && !question.answer.isPossible)
  }
}
