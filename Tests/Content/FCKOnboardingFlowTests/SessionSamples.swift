import FCKOnboardingFlow
import TestSupport

/// Elements for tests, written shortly.
enum Element {
  static func stack(
    _ id: String, _ children: [FlowElement], taps: [TapBehavior] = [],
    _ change: (inout FlowStack) -> Void = { _ in }
  ) -> FlowElement {
    var stack = FlowStack()
    stack.children = children
    stack.tapBehaviors = taps
    change(&stack)
    return FlowElement(id: id, content: .stack(stack))
  }

  static func text(_ id: String, _ content: String, taps: [TapBehavior] = []) -> FlowElement {
    var text = FlowText(content: content)
    text.tapBehaviors = taps
    return FlowElement(id: id, content: .text(text))
  }

  static func image(_ id: String, _ url: String, alt: String? = nil, taps: [TapBehavior] = []) -> FlowElement {
    var image = FlowImage(url: url)
    image.alt = alt
    image.tapBehaviors = taps
    return FlowElement(id: id, content: .image(image))
  }

  static func button(
    _ id: String, _ text: String = "", _ action: FlowButton.Action? = nil, taps: [TapBehavior] = [],
    children: [FlowElement] = [], style: FlowButton.Style = .filled
  ) -> FlowElement {
    var button = FlowButton()
    button.text = text
    button.action = action
    button.tapBehaviors = taps
    button.children = children
    button.style = style
    return FlowElement(id: id, content: .button(button))
  }

  static func entry(
    _ id: String, _ kind: FlowEntry.Kind = .text, label: String? = nil, required: Bool = false, key: String? = nil,
    hasOwnId: Bool = true, _ change: (inout FlowEntry) -> Void = { _ in }
  ) -> FlowElement {
    var entry = FlowEntry(kind: kind)
    entry.label = label
    entry.isRequired = required
    entry.variableKey = key
    change(&entry)
    return FlowElement(id: id, hasOwnId: hasOwnId, content: .entry(entry))
  }

  static func number(
    _ id: String, _ minimum: Double? = 0, _ maximum: Double? = 100, step: Double = 1, required: Bool = false
  ) -> FlowElement {
    var range = FlowNumberRange()
    (range.minimum, range.maximum, range.step) = (minimum, maximum, step)
    return entry(id, .number(range), required: required)
  }

  static func toggle(_ id: String, _ label: String = "", isOn: Bool = false) -> FlowElement {
    var toggle = FlowToggle()
    toggle.label = label
    toggle.initialValue = isOn
    return FlowElement(id: id, content: .toggle(toggle))
  }

  static func date(_ id: String, _ mode: FlowDatePicker.Mode = .date, required: Bool = false) -> FlowElement {
    var picker = FlowDatePicker()
    picker.mode = mode
    picker.isRequired = required
    return FlowElement(id: id, content: .datePicker(picker))
  }

  /// Options `a`, `b` and `c` with the labels A, B and C; `b` has the value `bee`.
  static func choice(
    _ id: String, _ style: FlowChoice.Style = .choice, multiple: Bool = false, required: Bool = false,
    selected: [String] = [], _ change: (inout FlowChoice) -> Void = { _ in }
  ) -> FlowElement {
    var choice = FlowChoice(style: style)
    choice.allowsMultiple = multiple
    choice.isRequired = required
    choice.options = [.init(id: "a", label: "A"), .init(id: "b", label: "B", value: "bee"), .init(id: "c", label: "C")]
    choice.initialSelection = selected
    change(&choice)
    return FlowElement(id: id, content: .choice(choice))
  }

  static func unknown(_ id: String) -> FlowElement { FlowElement(id: id, content: .unknown("carousel")) }
}

extension FlowConfig {
  /// A flow of screens `s0`, `s1`, …, each a stack of these elements.
  init(_ screens: [FlowElement]...) {
    self.init(
      version: 1,
      screens: screens.enumerated().map { index, elements in
        FlowScreen(id: "s\(index)", kind: .question, root: Element.stack("root", elements))
      })
  }

  /// A file of `Fixtures`.
  static func sample(_ name: String) throws -> FlowConfig {
    var problems: [FlowProblem] = []
    return try FlowConfig(sampleBytes(name), problems: &problems)
  }

  static func sampleBytes(_ name: String) -> [UInt8] { Fixtures.file("Content/FCKOnboardingFlowTests", "\(name).json") }
}
