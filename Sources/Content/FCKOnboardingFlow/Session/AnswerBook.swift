package import TesseraJSON

/// What the user entered on all screens.
struct AnswerBook: Sendable {
  /// An element that has an answer.
  private struct Question {
    let key: String
    let screen: Int
    let element: FlowElement
    /// When the user changed it, counted; 0 is never.
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

  /// Why the user cannot go on with what is in the element now; nil if they can.
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
        // An empty field that the user did not touch takes nothing back: the answer can be another showing's.
        answers.withdraw(key.string)
      }
    }
    return answers
  }
}

/// What the user entered into an element.
package enum FlowValue: Sendable, Equatable {
  /// As typed, also for a number.
  case text(String)
  case isOn(Bool)
  case date(FlowDateTime?)
  /// What stands in a field for a date and is none: a date that does not exist, or a part of one. The text is empty if
  /// the control does not tell it.
  case unreadableDate(String)
  /// The ids of the selected options, in the order of the options.
  case options([String])

  /// Compares texts by their bytes: two that look the same can be different answers.
  package static func == (left: FlowValue, right: FlowValue) -> Bool {
    switch (left, right) {
    case (.text(let one), .text(let other)): one.hasBytes(of: other)
    case (.isOn(let one), .isOn(let other)): one == other
    case (.date(let one), .date(let other)): one == other
    case (.unreadableDate(let one), .unreadableDate(let other)): one.hasBytes(of: other)
    case (.options(let one), .options(let other)): one.elementsEqual(other) { $0.hasBytes(of: $1) }
    default: false
    }
  }
}

/// Why the user cannot go on from a screen.
package enum AnswerProblem: Sendable, Equatable {
  /// The element is required and empty.
  case missing
  /// What stands in the element is no e-mail address, no number or no date.
  case malformed
  /// The number is not in the range of the element.
  case outOfRange
}

/// The elements of a screen by their ids.
struct ScreenElements: Sendable {
  private struct Entry {
    var element: FlowElement
    var parent: UTF8Text?
  }

  private var entries: [UTF8Text: Entry] = [:]
  /// In the order of the document.
  private(set) var all: [FlowElement] = []

  init(_ root: FlowElement) { add(root, parent: nil) }

  /// The decoder limits how deep elements are nested.
  private mutating func add(_ element: FlowElement, parent: UTF8Text?) {
    let id = UTF8Text(element.id)
    // Ids are unique. Should they not be, the first element has the id.
    if entries[id] == nil { entries[id] = Entry(element: element, parent: parent) }
    all.append(element)
    for child in element.children { add(child, parent: id) }
  }

  subscript(id: String) -> FlowElement? { entries[UTF8Text(id)]?.element }

  /// The elements around an element, the root of the screen first, and the element itself; nil if there is no such
  /// element.
  func path(to id: String) -> [FlowElement]? {
    guard let entry = entries[UTF8Text(id)] else { return nil }
    var path = [entry.element]
    var parent = entry.parent
    // An id that stands twice could lead in a circle.
    while let key = parent, let entry = entries[key], path.count < all.count {
      path.append(entry.element)
      parent = entry.parent
    }
    return path.reversed()
  }

  /// The element that gets a press on this one: itself, or the nearest element around it that can be pressed. Fields and
  /// choices keep the presses on them.
  func tappable(_ id: String) -> FlowElement? {
    let element = path(to: id)?.last { $0.isTappable || $0.initialValue != nil }
    return element.flatMap { $0.isTappable ? $0 : nil }
  }
}

extension FlowElement {
  /// Whether the element does something when it is pressed.
  var isTappable: Bool {
    if case .button = content { return true }
    return !tapBehaviors.isEmpty
  }
}

/// What a screen shows beside the document: the values of its elements and their marks, by the ids of the elements.
package struct ScreenState: Sendable, Equatable {
  /// A value of an element that has none here is its initial one.
  package private(set) var values: [UTF8Text: FlowValue] = [:]
  package private(set) var problems: [UTF8Text: AnswerProblem] = [:]

  package init() {}

  /// What is in an element now; nil for an element that holds nothing.
  package func value(of element: FlowElement) -> FlowValue? {
    values[UTF8Text(element.id)] ?? element.initialValue
  }

  package func problem(of element: FlowElement) -> AnswerProblem? { problems[UTF8Text(element.id)] }

  mutating func set(_ value: FlowValue, of element: FlowElement) { values[UTF8Text(element.id)] = value }

  mutating func mark(_ element: FlowElement, _ problem: AnswerProblem?) { problems[UTF8Text(element.id)] = problem }
}
