import TesseraJSON

/// What a tree says, without what it looks like. Both back ends must say the same in the same order.
package enum RenderDump {
  /// A line for each node that assistive technology meets or that draws a text: the role, the name in quotation marks, the
  /// state, and after a colon the texts that are drawn, each in quotation marks. Children follow their parent.
  ///
  ///     text: "Tell us about you"
  ///     textField "Phone": "Phone" "🇩🇪"
  ///     radio "Learn" selected: "📘" "Learn"
  package static func lines(_ node: RenderNode) -> [String] {
    var lines: [String] = []
    if node.role != .none {
      let (own, texts) = own(node)
      lines.append(line(node.role, node.name, state: own, texts))
    }
    if case .choice(let choice) = node.content {
      lines += choice.options.map { option in
        line(
          choice.allowsMultiple ? .checkBox : .radio, option.label, state: option.isSelected ? "selected" : nil,
          texts(option))
      }
      // The problem is drawn below the options.
      lines += texts(choice.problem).map { line(.text, nil, state: nil, [$0]) }
    }
    return lines + node.children.flatMap { Self.lines($0) }
  }

  /// The texts that are drawn, in their order. What is in a field is none of them, and neither is its placeholder.
  package static func texts(_ node: RenderNode) -> [String] {
    switch node.content {
    case .choice(let choice): own(node).texts + choice.options.flatMap(texts) + texts(choice.problem)
    default: own(node).texts + node.children.flatMap { Self.texts($0) }
    }
  }

  /// The state of a node and the texts that it draws before its options and children.
  private static func own(_ node: RenderNode) -> (state: String?, texts: [String]) {
    switch node.content {
    case .stack, .picture: (nil, [])
    case .progressBar(let bar): ("\(Int((bar.fraction * 100).rounded()))%", [])
    case .text(let text): (nil, drawn(text.content))
    case .button(let button): (nil, drawn(button.text))
    case .entry(let entry): (entry.problem == nil ? nil : "invalid", texts(entry))
    case .toggle(let toggle): (toggle.isOn ? "on" : "off", drawn(toggle.label))
    case .datePicker(let picker):
      (picker.problem == nil ? nil : "invalid", drawn(picker.label) + texts(picker.problem))
    case .choice(let choice): (choice.problem == nil ? nil : "invalid", drawn(choice.label))
    }
  }

  private static func texts(_ entry: RenderEntry) -> [String] {
    let flag: String? = if case .phone(let flag) = entry.kind { flag } else { nil }
    return drawn(entry.label) + drawn(flag) + texts(entry.problem)
  }

  private static func texts(_ option: RenderOption) -> [String] { drawn(option.icon) + drawn(option.label) }

  private static func texts(_ problem: RenderProblem?) -> [String] { drawn(problem?.message) }

  private static func drawn(_ text: String?) -> [String] {
    guard let text, !text.isEmpty else { return [] }
    return [text]
  }

  private static func line(_ role: RenderRole, _ name: String?, state: String?, _ texts: [String]) -> String {
    let words = [role.rawValue, name.map(quoted), state].compactMap(\.self).joined(separator: " ")
    return texts.isEmpty ? words : "\(words): \(texts.map(quoted).joined(separator: " "))"
  }

  /// On one line, whatever is in it.
  private static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
