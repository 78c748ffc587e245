/// How a showing ended, and what the person answered.
public struct FlowReport: Sendable, Equatable {
  public enum Outcome: String, Sendable {
    case completed
    case skipped
  }

  public var outcome: Outcome
  public var answers: FlowAnswers

  public init(outcome: Outcome, answers: FlowAnswers) {
    self.outcome = outcome
    self.answers = answers
  }
}
