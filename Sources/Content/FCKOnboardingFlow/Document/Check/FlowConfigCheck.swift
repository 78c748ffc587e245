import Glibc
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
        warning("No press leads out of the screen, so the user can only close it.", place.path)
      }
      if !ways.isReachable[index] { warning("Nothing leads to the screen.", place.path) }
    }
    if !ways.ends, !config.screens.isEmpty, ways.hasWayOut.allSatisfy({ $0 }) {
      warning("No press completes the flow, so the user can only close it.", [])
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

/// How well a text can be told from its background (WCAG 2.2, “contrast ratio”).
enum ColorContrast {
  /// Below this nobody reads a text. What is good to read has more: 4.5, or 3 for large texts.
  static let least = 2.0
  /// A text with less alpha is not seen on any background.
  static let faintest: UInt8 = 0x20

  /// The colour behind what is on a background; nil if it is not known, because the window shows through.
  static func background(_ color: FlowColor?, on outer: FlowColor?) -> FlowColor? {
    guard let color, color.alpha > 0 else { return outer }
    if color.alpha == 255 { return color }
    return outer.map { blend(color, over: $0) }
  }

  /// 1 (equal) to 21 (black and white).
  static func ratio(_ ink: FlowColor, on background: FlowColor) -> Double {
    let lights = [luminance(blend(ink, over: background)), luminance(background)]
    return ((lights.max() ?? 0) + 0.05) / ((lights.min() ?? 0) + 0.05)
  }

  private static func blend(_ color: FlowColor, over base: FlowColor) -> FlowColor {
    func part(_ one: UInt8, _ other: UInt8) -> UInt8 {
      let alpha = Int(color.alpha)
      let sum: Int = Int(one) * alpha + Int(other) * (255 - alpha)
      return UInt8(sum / 255)
    }
    return FlowColor(
      red: part(color.red, base.red), green: part(color.green, base.green), blue: part(color.blue, base.blue))
  }

  private static func luminance(_ color: FlowColor) -> Double {
    func linear(_ part: UInt8) -> Double {
      let part = Double(part) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
  }
}

/// Where the presses of a flow lead.
struct FlowWays {
  private enum Way: Hashable {
    case screen(Int)
    case back
    case end
  }

  /// By the index of the screen: whether a press leads to another screen or to the end. Nothing is before the first one.
  let hasWayOut: [Bool]
  /// By the index of the screen: whether presses lead there from the first one.
  let isReachable: [Bool]
  /// Whether presses lead from the first screen to the end.
  let ends: Bool

  init(_ config: FlowConfig) {
    var indices: [UTF8Text: Int] = [:]
    for (index, screen) in config.screens.enumerated() { indices[UTF8Text(screen.id)] = index }
    let ways = config.screens.enumerated().map { index, screen in
      var ways: Set<Way> = []
      for element in screen.root.flattened {
        switch TapPlan(element).destination {
        case .next: ways.insert(index + 1 < config.screens.count ? .screen(index + 1) : .end)
        case .screen(let id): if let target = indices[UTF8Text(id)], target != index { ways.insert(.screen(target)) }
        case .back: if index > 0 { ways.insert(.back) }
        case .skip, .complete: ways.insert(.end)
        case nil: break
        }
      }
      return ways
    }
    hasWayOut = ways.map { !$0.isEmpty }
    var isReachable = config.screens.map { _ in false }
    // `back` leads only to where the user was.
    var waiting = config.screens.isEmpty ? [] : [0]
    var ends = false
    while let index = waiting.popLast() {
      guard !isReachable[index] else { continue }
      isReachable[index] = true
      for way in ways[index] {
        switch way {
        case .screen(let target): waiting.append(target)
        case .end: ends = true
        case .back: break
        }
      }
    }
    self.isReachable = isReachable
    self.ends = ends
  }
}
