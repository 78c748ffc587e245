import TesseraJSON

/// What the person entered on all screens.
struct AnswerBook: Sendable {
  /// An element that has an answer.
  private struct Question {
    let key: String
    let screen: Int
    let element: FlowElement
    /// When the person changed it, counted; 0 is never.
    var change = 0
  }

  private var questions: [Question]
  /// The places in `questions` by screen and element.
  private var places: [[UTF8Text: Int]]
  private var states: [ScreenState]
  private var visited: Set<Int> = []
  private var changeCount = 0
  private let format: FlowNumberFormat

  init(_ screens: [FlowScreen], _ format: FlowNumberFormat) {
    self.format = format
    questions = []
    places = []
    states = screens.map { _ in ScreenState() }
    for (index, screen) in screens.enumerated() {
      places.append([:])
      for element in ScreenElements(screen.root).all {
        guard let key = element.answerKey, places[index][UTF8Text(element.id)] == nil else { continue }
        places[index][UTF8Text(element.id)] = questions.count
        questions.append(Question(key: key, screen: index, element: element))
      }
    }
  }

  func state(of screen: Int) -> ScreenState { states.indices.contains(screen) ? states[screen] : ScreenState() }

  func value(of element: FlowElement, on screen: Int) -> FlowValue? { state(of: screen).value(of: element) }

  /// Why the person cannot go on with what is in the element now; nil if they can.
  func problem(of element: FlowElement, on screen: Int) -> AnswerProblem? {
    element.problem(value(of: element, on: screen), format)
  }

  mutating func set(_ value: FlowValue, of element: FlowElement, on screen: Int) {
    guard states.indices.contains(screen) else { return }
    states[screen].set(value, of: element)
    guard let place = places[screen][UTF8Text(element.id)] else { return }
    changeCount += 1
    questions[place].change = changeCount
  }

  /// A field for a date is empty again, without the user's doing, if its control did not tell the part in it.
  mutating func forgetPartOfDate(_ element: FlowElement, on screen: Int) {
    guard value(of: element, on: screen) == .unreadableDate("") else { return }
    states[screen].set(.date(nil), of: element)
    states[screen].mark(element, nil)
  }

  mutating func mark(_ element: FlowElement, _ problem: AnswerProblem?, on screen: Int) {
    guard states.indices.contains(screen) else { return }
    states[screen].mark(element, problem)
  }

  /// The screen is shown: what it shows at first are answers, too.
  ///
  /// - Returns: whether that adds an answer.
  mutating func arrive(at screen: Int) -> Bool {
    guard visited.insert(screen).inserted else { return false }
    return questions.contains { $0.screen == screen && $0.element.answer($0.element.initialValue, format) != nil }
  }

  /// The first screen that was shown, other than this one, where something stands in a field that is no answer.
  func unreadableScreen(except screen: Int) -> Int? {
    questions.first { question in
      guard question.screen != screen, visited.contains(question.screen) else { return false }
      return [.malformed, .outOfRange].contains(problem(of: question.element, on: question.screen))
    }?.screen
  }

  /// Of several elements with one key, the one that was changed last counts.
  var answers: FlowAnswers {
    var latest: [UTF8Text: Question] = [:]
    var keys: [UTF8Text] = []
    for question in questions where visited.contains(question.screen) {
      let key = UTF8Text(question.key)
      guard let other = latest[key] else {
        keys.append(key)
        latest[key] = question
        continue
      }
      if question.change > other.change { latest[key] = question }
    }
    var answers = FlowAnswers()
    for key in keys {
      guard let question = latest[key] else { continue }
      if let answer = question.element.answer(value(of: question.element, on: question.screen), format) {
        answers.append(key.string, answer)
      } else if question.change > 0 {
        // An empty field that the person did not touch takes nothing back: the answer can be another showing's.
        answers.withdraw(key.string)
      }
    }
    return answers
  }
}
