import TesseraJSON

/// What elements hold, and what of it is stored (NativeScreens.md, rule 6).
extension FlowElement {
  /// The key of the element's answer; nil if none is stored: then the document names neither a variable nor the
  /// element.
  var answerKey: String? {
    let variableKey: String? =
      switch content {
      case .entry(let entry): entry.variableKey
      case .toggle(let toggle): toggle.variableKey
      case .datePicker(let picker): picker.variableKey
      case .choice(let choice): choice.variableKey
      case .stack, .text, .image, .button, .progressBar, .unknown: nil
      }
    guard initialValue != nil else { return nil }
    if let variableKey, !variableKey.isEmpty { return variableKey }
    return hasOwnId ? id : nil
  }

  /// What the element holds before the user changes it; nil for an element that holds nothing.
  var initialValue: FlowValue? {
    switch content {
    case .entry: .text("")
    case .toggle(let toggle): .isOn(toggle.initialValue)
    case .datePicker: .date(nil)
    case .choice(let choice): .options(choice.sorted(choice.initialSelection))
    case .stack, .text, .image, .button, .progressBar, .unknown: nil
    }
  }

  /// What is stored; nil if there is nothing, or nothing that can be stored.
  func answer(_ value: FlowValue?, _ format: FlowNumberFormat) -> String? {
    switch (content, value) {
    case (.entry(let entry), .text(let text)): return entry.answer(text, format)
    case (.toggle, .isOn(let isOn)): return isOn ? "true" : "false"
    case (.datePicker, .date(let date)): return date?.text
    case (.choice(let choice), .options(let ids)):
      let values = choice.options(ids).map(\.storedValue)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    default: return nil
    }
  }

  /// Why the user cannot go on with this value; nil if they can.
  func problem(_ value: FlowValue?, _ format: FlowNumberFormat) -> AnswerProblem? {
    switch (content, value) {
    case (.entry(let entry), .text(let text)):
      if EntryText.isBlank(text) { return entry.isRequired ? .missing : nil }
      return entry.problem(text, format)
    case (.datePicker(let picker), .date(let date)): return picker.isRequired && date == nil ? .missing : nil
    case (.datePicker, .unreadableDate): return .malformed
    case (.choice(let choice), .options(let ids)):
      // A choice without options would keep everybody on its screen.
      return choice.isRequired && ids.isEmpty && !choice.options.isEmpty ? .missing : nil
    default: return nil
    }
  }

  /// What happens when the user presses the element.
  var tapBehaviors: [TapBehavior] {
    switch content {
    case .stack(let stack): stack.tapBehaviors
    case .text(let text): text.tapBehaviors
    case .image(let image): image.tapBehaviors
    case .button(let button): button.tapBehaviors
    case .entry(let entry): entry.tapBehaviors
    case .toggle, .datePicker, .choice, .progressBar, .unknown: []
    }
  }

  var children: [FlowElement] {
    switch content {
    case .stack(let stack): stack.children
    case .button(let button): button.children
    case .text, .image, .entry, .toggle, .datePicker, .choice, .progressBar, .unknown: []
    }
  }
}

extension FlowEntry {
  /// Why a text that is not blank cannot be stored; nil if it can.
  func problem(_ text: String, _ format: FlowNumberFormat) -> AnswerProblem? {
    switch kind {
    case .text, .phone: return nil
    case .email: return EntryText.isEmailAddress(text) ? nil : .malformed
    case .number(let range):
      guard let number = FlowNumber(text, format) else { return .malformed }
      return range.contains(number.value) ? nil : .outOfRange
    }
  }

  func answer(_ text: String, _ format: FlowNumberFormat) -> String? {
    guard !text.isEmpty else { return nil }
    switch kind {
    case .text, .phone: return text
    case .email:
      let address = EntryText.trimmed(text)
      return address.isEmpty ? nil : address
    case .number(let range):
      // A number beyond the range is told. Another one than the user's is never stored.
      return FlowNumber(text, format).flatMap { range.contains($0.value) ? $0.text : nil }
    }
  }

  /// What is in the field after the user left it: an e-mail address without spaces around it, and a number as it was
  /// read, so that the user sees it.
  func settled(_ text: String, _ format: FlowNumberFormat) -> String {
    switch kind {
    case .text, .phone: text
    case .email: EntryText.trimmed(text)
    case .number: EntryText.isBlank(text) ? "" : answer(text, format).map(format.written) ?? text
    }
  }
}

extension FlowChoice {
  /// The options with these ids, in the order of the document. A single choice has one at most.
  func options(_ ids: [String]) -> [Option] {
    let ids = Set(ids.map(UTF8Text.init))
    let chosen = options.filter { ids.contains(UTF8Text($0.id)) }
    return allowsMultiple ? chosen : Array(chosen.prefix(1))
  }

  func sorted(_ ids: [String]) -> [String] { options(ids).map(\.id) }
}
