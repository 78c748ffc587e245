import TesseraJSON

/// One showing of a flow: which screen is shown, what the user entered, and where a press leads.
///
/// It has no clock, no window and no thread: its owner says what the user does, and does what the returned effects say.
package struct OnboardingSession: Sendable {
  private enum Phase: Equatable {
    case notBegun
    case showing
    /// A press leads somewhere after a delay. Until then another press does nothing.
    case waiting(FlowTimer, FlowDestination)
    case finished
  }

  package let flow: FlowConfig
  package let words: FlowWords
  /// The index of the screen that is shown.
  package private(set) var screenIndex = 0
  private var phase = Phase.notBegun
  /// The screens that lead to the shown one, the first one first. Each is there once, and was filled when the user left
  /// it: a way to one of them takes it and those after it away.
  private var history: [Int] = []
  private var elements: ScreenElements?
  private var answerBook: AnswerBook
  private var timerCount = 0
  /// Whether a field for a date is empty when its screen is shown again after a part of a date stood in it.
  private let forgetsPartsOfDates: Bool

  /// - Parameter forgetsPartsOfDates: whether the fields for dates do not tell the parts that stand in them, so that they
  ///   are empty when their screen is shown again.
  package init(_ flow: FlowConfig, words: FlowWords = FlowWords(), forgetsPartsOfDates: Bool = false) {
    self.forgetsPartsOfDates = forgetsPartsOfDates
    self.flow = flow
    self.words = words
    answerBook = AnswerBook(flow.screens, words.numberFormat)
  }

  package var isFinished: Bool { phase == .finished }

  /// The answers until now: of the screens that were shown, in the order of the document.
  package var answers: FlowAnswers { answerBook.answers }

  /// The shown screen as it is drawn now; nil for a flow without screens.
  package var screen: RenderNode? {
    guard flow.screens.indices.contains(screenIndex) else { return nil }
    return RenderTree.screen(flow.screens[screenIndex], state: answerBook.state(of: screenIndex), words: words)
  }

  /// An element of the shown screen as it is drawn now; nil if the screen has no such element, or if it is not drawn.
  package func node(_ elementId: String) -> RenderNode? {
    elements.flatMap {
      RenderTree.node(elementId, of: $0, state: answerBook.state(of: screenIndex), words: words)
    }
  }

  /// An element of the shown screen.
  func element(_ id: String) -> FlowElement? { elements?[id] }

  // MARK: - What happens

  /// The flow is shown. Called once, first.
  package mutating func begin() -> [FlowEffect] {
    guard phase == .notBegun else { return [] }
    guard !flow.screens.isEmpty else {
      phase = .finished
      return [.note("The flow has no screens, so nothing is shown."), .finished(report(.skipped))]
    }
    phase = .showing
    return [.event(event(.flowViewed))] + arrive(at: 0)
  }

  /// The user does something.
  package mutating func received(_ input: FlowInput) -> [FlowEffect] {
    guard phase != .notBegun, phase != .finished else { return [] }
    switch input {
    case .tap(let id): return tapped(id)
    case .text(let id, let text): return typed(text, into: id)
    case .commit(let id): return left(id)
    case .step(let id, let count): return stepped(id, by: count)
    case .toggle(let id, let isOn):
      guard let element = elements?[id], case .toggle = element.content else { return [] }
      return change(element, to: .isOn(isOn))
    case .date(let id, let date):
      guard let element = elements?[id], case .datePicker = element.content else { return [] }
      return change(element, to: .date(date))
    case .unreadableDate(let id, let text):
      guard let element = elements?[id], case .datePicker = element.content else { return [] }
      return change(element, to: .unreadableDate(EntryText.limited(text)))
    case .option(let id, let option, let isSelected): return selected(option, isSelected, of: id)
    case .back: return phase == .showing ? go(.back) : []
    case .skip: return finish(.skipped)
    case .timer(let timer):
      guard case .waiting(timer, let destination) = phase else { return [] }
      phase = .showing
      return go(destination)
    }
  }

  // MARK: - Presses

  private mutating func tapped(_ id: String) -> [FlowEffect] {
    guard phase == .showing, let element = elements?.tappable(id) else { return [] }
    let plan = TapPlan(element)
    var effects: [FlowEffect] = []
    if let haptics = plan.haptics { effects.append(.playHaptics(haptics)) }
    if !plan.press.isPlain { effects.append(.animatePress(element.id, plan.press)) }
    guard let destination = plan.destination else { return effects }
    if plan.delay > .zero, !isBlocked(destination) {
      timerCount += 1
      let timer = FlowTimer(number: timerCount)
      phase = .waiting(timer, destination)
      return effects + [.startTimer(timer, after: plan.delay)]
    }
    return effects + go(destination)
  }

  // MARK: - Fields

  private mutating func typed(_ text: String, into id: String) -> [FlowEffect] {
    guard let element = elements?[id], case .entry = element.content else { return [] }
    let limited = EntryText.limited(text)
    let effects = change(element, to: .text(limited), isDrawn: true)
    // The field shows more than is kept.
    return limited.hasBytes(of: text) || effects.contains(.redraw(id)) ? effects : effects + [.redraw(id)]
  }

  private mutating func left(_ id: String) -> [FlowEffect] {
    guard let element = elements?[id] else { return [] }
    var effects: [FlowEffect] = []
    switch (element.content, answerBook.value(of: element, on: screenIndex)) {
    case (.entry(let entry), .text(let text)?):
      effects = change(element, to: .text(entry.settled(text, words.numberFormat)))
    // The field can show it in another way, for example with seconds.
    case (.datePicker, .date(_?)?): effects = [.redraw(id)]
    case (.datePicker, .unreadableDate?): break
    default: return []
    }
    let problem = answerBook.problem(of: element, on: screenIndex)
    // What is missing is marked at the press only.
    return problem == nil || problem == .missing ? effects : effects + mark(element, problem)
  }

  private mutating func stepped(_ id: String, by count: Int) -> [FlowEffect] {
    guard let element = elements?[id], case .entry(let entry) = element.content, case .number(let range) = entry.kind,
      case .text(let text)? = answerBook.value(of: element, on: screenIndex)
    else { return [] }
    let number = FlowNumber(text, words.numberFormat)
    // What cannot be read is the user's to change: a step would replace it by another number.
    guard number != nil || EntryText.isBlank(text) else { return mark(element, .malformed) }
    let next = range.stepped(number?.value, by: count)
    // Where no step leads further, the digits stay as they are.
    guard next != number?.value else { return [] }
    return change(element, to: .text(words.numberFormat.written(DecimalText.text(next))))
  }

  private mutating func selected(_ option: String, _ isSelected: Bool, of id: String) -> [FlowEffect] {
    guard let element = elements?[id], case .choice(let choice) = element.content,
      case .options(let ids)? = answerBook.value(of: element, on: screenIndex),
      choice.options.contains(where: { $0.id.hasBytes(of: option) })
    else { return [] }
    // One of a single choice is taken back by another one only.
    guard choice.allowsMultiple || isSelected else { return [] }
    let others = choice.allowsMultiple ? ids.filter { !$0.hasBytes(of: option) } : []
    return change(element, to: .options(choice.sorted(isSelected ? others + [option] : others)))
  }

  /// - Parameter isDrawn: whether the element shows the value already.
  private mutating func change(_ element: FlowElement, to value: FlowValue, isDrawn: Bool = false) -> [FlowEffect] {
    var effects: [FlowEffect] = []
    if answerBook.value(of: element, on: screenIndex) != value {
      answerBook.set(value, of: element, on: screenIndex)
      effects = isDrawn ? [.keepAnswers] : [.redraw(element.id), .keepAnswers]
    }
    // A mark disappears when its cause does, and says another cause.
    guard answerBook.state(of: screenIndex).problem(of: element) != nil else { return effects }
    let marked = mark(element, answerBook.problem(of: element, on: screenIndex))
    return effects.contains(.redraw(element.id)) ? effects : marked + effects
  }

  private mutating func mark(_ element: FlowElement, _ problem: AnswerProblem?) -> [FlowEffect] {
    guard answerBook.state(of: screenIndex).problem(of: element) != problem else { return [] }
    answerBook.mark(element, problem, on: screenIndex)
    return [.redraw(element.id)]
  }

  // MARK: - Navigation

  private mutating func go(_ destination: FlowDestination) -> [FlowEffect] {
    if isBlocked(destination) { return block() }
    switch destination {
    case .next: return screenIndex + 1 < flow.screens.count ? showAgain(screenIndex + 1) : complete()
    case .complete: return complete()
    case .skip: return finish(.skipped)
    case .back:
      guard let previous = history.last else { return [] }
      return showAgain(previous)
    case .screen(let id):
      guard let target = index(of: id) else {
        return [.note("A press on the screen “\(screenId)” leads to a screen that the flow does not have.")]
      }
      return target == screenIndex ? [] : showAgain(target)
    }
  }

  private mutating func showAgain(_ target: Int) -> [FlowEffect] {
    let effects = show(target)
    forgetPartsOfDates()
    return effects
  }

  /// The controls of the shown screen are made anew: what a field for a date kept to itself is not there any more.
  package mutating func forgetPartsOfDates() {
    guard forgetsPartsOfDates else { return }
    for element in elements?.all ?? [] { answerBook.forgetPartOfDate(element, on: screenIndex) }
  }

  private mutating func show(_ target: Int) -> [FlowEffect] {
    let direction: FlowDirection
    if let place = history.firstIndex(of: target) {
      history.removeSubrange(place...)
      direction = .backward
    } else {
      history.append(screenIndex)
      direction = .forward
    }
    return [.show(screenIndex: target, direction)] + arrive(at: target)
  }

  private mutating func arrive(at index: Int) -> [FlowEffect] {
    screenIndex = index
    elements = ScreenElements(flow.screens[index].root)
    // The initial values of the screen count from now on.
    let effects: [FlowEffect] = answerBook.arrive(at: index) ? [.keepAnswers] : []
    return [.event(event(.screenViewed))] + effects
  }

  private func index(of id: String) -> Int? { flow.screens.firstIndex { $0.id.hasBytes(of: id) } }

  // MARK: - What is required

  /// Whether the screen must be filled first. That is so for every way forward. A way to a screen that led here is one
  /// back.
  private func isBlocked(_ destination: FlowDestination) -> Bool {
    switch destination {
    case .back, .skip: return false
    case .next, .complete: break
    case .screen(let id):
      guard let target = index(of: id), target != screenIndex, !history.contains(target) else { return false }
    }
    return !problems.isEmpty
  }

  private var problems: [(element: FlowElement, problem: AnswerProblem)] {
    (elements?.all ?? []).compactMap { element in
      answerBook.problem(of: element, on: screenIndex).map { (element, $0) }
    }
  }

  private mutating func block() -> [FlowEffect] {
    let problems = problems
    let effects = problems.flatMap { mark($0.element, $0.problem) }
    return effects + problems.prefix(1).map { .focus($0.element.id) }
  }

  // MARK: - The end

  /// A way back leaves a screen as it is. What cannot be read there is told before the flow ends without it.
  private mutating func complete() -> [FlowEffect] {
    guard let index = answerBook.unreadableScreen(except: screenIndex) else { return finish(.completed) }
    return show(index) + block()
  }

  private mutating func finish(_ outcome: FlowReport.Outcome) -> [FlowEffect] {
    phase = .finished
    let name = outcome == .completed ? ShowingEvent.Name.flowCompleted : .flowSkipped
    return [.event(event(name)), .finished(report(outcome))]
  }

  private func report(_ outcome: FlowReport.Outcome) -> FlowReport { FlowReport(outcome: outcome, answers: answers) }

  private func event(_ name: ShowingEvent.Name) -> ShowingEvent {
    ShowingEvent(name: name, screenIndex: screenIndex, screenId: screenId)
  }

  private var screenId: String {
    flow.screens.indices.contains(screenIndex) ? flow.screens[screenIndex].id : ""
  }
}
