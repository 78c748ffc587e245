import TesseraFlowDocument
import TesseraJSON

/// Finds what a flow can be shown with, but what will not work. All of it is warnings.
struct FlowConfigCheck: FlowDocumentDecoder {
  var problems: [FlowProblem] = []
  private let config: FlowConfig
  private let places: [FlowConfigDecoder.ScreenPlace]
  private let screenIds: Set<UTF8Text>

  /// - Parameter places: of the screens of the flow and their elements, in their order.
  init(_ config: FlowConfig, _ places: [FlowConfigDecoder.ScreenPlace]) {
    self.config = config
    self.places = places
    screenIds = Set(config.screens.map { UTF8Text($0.id) })
  }

  mutating func check() {
    for (screen, place) in zip(config.screens, places) {
      if case .unknown(let type) = screen.kind {
        warning(
          "This version knows no screen of the type “\(Self.short(type))”; it is shown like the others.", place.path)
      }
      if !screen.routes.isEmpty {
        warning("The routes of a screen are not followed.", place.path + [.member("router"), .member("routes")])
      }
      var elements = place.elements[...]
      var keys: Set<UTF8Text> = []
      check(screen.root, on: nil, &elements, &keys)
    }
    let ways = FlowWays(config)
    for (index, place) in places.enumerated() where config.screens.indices.contains(index) {
      if !ways.hasWayOut[index] {
        warning("No press leads out of the screen, so people can only close it.", place.path)
      }
      if !ways.isReachable[index] { warning("Nothing leads to the screen.", place.path) }
    }
    if !ways.ends, !config.screens.isEmpty, ways.hasWayOut.allSatisfy({ $0 }) {
      warning("No press completes the flow, so people can only close it.", [])
    }
  }

  // MARK: - Elements

  /// - Parameters:
  ///   - background: the colour behind the element; nil is that of the window.
  ///   - paths: of the element and those after it.
  ///   - keys: those that answers of the screen have so far.
  private mutating func check(
    _ element: FlowElement, on background: FlowColor?, _ paths: inout ArraySlice<[FlowProblem.Step]>,
    _ keys: inout Set<UTF8Text>
  ) {
    let path = paths.popFirst() ?? []
    checkTargets(element, path)
    checkAnswer(element, path, &keys)
    switch element.content {
    case .stack(let stack):
      let background = ColorContrast.background(stack.backgroundColor, on: background)
      for child in stack.children { check(child, on: background, &paths, &keys) }
    case .button(let button):
      checkButton(button, path)
      let background = button.style == .filled ? ColorContrast.background(button.backgroundColor, on: background) : nil
      for child in button.children { check(child, on: background, &paths, &keys) }
    case .text(let text): checkInk(text.color, on: background, "The text", path + [.member("color")])
    case .image(let image):
      if PictureAddress.accepted(image.url) == nil {
        warning(
          "A picture is loaded over https only, so a placeholder is shown in place of this one.",
          path + [.member("url")])
      }
      if image.alt == nil { warning("The image has no “alt”, so a screen reader says nothing of it.", path) }
    case .entry(let entry):
      if entry.label == nil, entry.placeholder.isEmpty {
        warning("The input has neither a “label” nor a “placeholder”, so nobody knows what it is for.", path)
      }
    case .toggle(let toggle):
      if toggle.label.isEmpty { warning("The toggle has no “label”, so nobody knows what it is for.", path) }
    case .choice(let choice): checkChoice(choice, path)
    case .datePicker, .progressBar: break
    case .unknown(let type):
      warning("This version knows no element of the type “\(Self.short(type))”, so nothing is drawn.", path)
    }
  }

  private mutating func checkTargets(_ element: FlowElement, _ path: [FlowProblem.Step]) {
    for behavior in element.tapBehaviors {
      guard case .navigate(let id) = behavior.kind, !screenIds.contains(UTF8Text(id)) else { continue }
      warning("No screen has the id “\(Self.short(id))”, so the press leads nowhere.", path + [.member("tapBehaviors")])
    }
  }

  private mutating func checkAnswer(_ element: FlowElement, _ path: [FlowProblem.Step], _ keys: inout Set<UTF8Text>) {
    guard element.initialValue != nil else { return }
    guard let key = element.answerKey else {
      warning("The element has neither a “variableKey” nor an “id”, so its answer is not stored.", path)
      return
    }
    if !keys.insert(UTF8Text(key)).inserted {
      warning("Another element of the screen stores its answer under “\(Self.short(key))” too.", path)
    }
  }

  private mutating func checkButton(_ button: FlowButton, _ path: [FlowProblem.Step]) {
    if button.text.isEmpty, button.children.isEmpty {
      warning("The button has no “text”, so nobody knows what it is for.", path)
    }
    if button.tapBehaviors.isEmpty, button.action == nil {
      warning("The button has neither “tapBehaviors” nor an “action”, so it does nothing.", path)
    }
    let background = button.style == .filled ? ColorContrast.background(button.backgroundColor, on: nil) : nil
    if !button.text.isEmpty {
      checkInk(button.textColor, on: background, "The text of the button", path + [.member("textColor")])
    }
  }

  private mutating func checkChoice(_ choice: FlowChoice, _ path: [FlowProblem.Step]) {
    if choice.options.isEmpty { warning("There are no options, so nothing can be chosen.", path) }
    checkInk(
      choice.textColor, on: ColorContrast.background(choice.backgroundColor, on: nil), "The text of an option",
      path + [.member(choice.style == .choice ? "textColor" : "optionTextColor")])
    checkInk(
      choice.selectedTextColor, on: ColorContrast.background(choice.selectedBackgroundColor, on: nil),
      "The text of a chosen option", path + [.member("selectedTextColor")])
  }

  /// Whether a text can be read.
  private mutating func checkInk(
    _ ink: FlowColor, on background: FlowColor?, _ subject: String, _ path: @autoclosure () -> [FlowProblem.Step]
  ) {
    if ink.alpha < ColorContrast.faintest {
      warning("\(subject) is nearly transparent, so it cannot be read.", path())
    } else if let background {
      let contrast = ColorContrast.ratio(ink, on: background)
      guard contrast < ColorContrast.least else { return }
      let tenths = Int((contrast * 10).rounded())
      warning(
        "\(subject) has nearly the colour of its background, so it cannot be read (contrast "
          + "\(tenths / 10).\(tenths % 10) to 1).", path())
    }
  }

  private static func short(_ text: String) -> String {
    PrintableText.of(String(String.UnicodeScalarView(text.unicodeScalars.prefix(64))))
  }
}
