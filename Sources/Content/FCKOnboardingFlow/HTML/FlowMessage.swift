import TesseraJSON

/// A message of the page: `{"type": "fck.event", "elementId": …, "kind": "tap"|"change", "value": …}`
/// (NativeScreens.md, rule 9).
struct FlowMessage: Equatable {
  enum Kind: String {
    case tap
    case change
  }

  /// The longest message, in bytes: a full field, with every character escaped.
  static let maximumLength = 128 << 10

  let elementId: String
  let kind: Kind
  /// Of a change. A field for text, a number or a date says its text, or `{"text": …}` when the user leaves it; a
  /// number also `{"step": …}`. A date has `"isUnreadable": true`, with or without its text, if the browser keeps what
  /// is typed to itself. A toggle says a boolean; a choice `{"option": …, "isSelected": …}`.
  let value: JSONValue?

  /// - Returns: nil if the message is malformed; it is then ignored.
  init?(text: String) {
    guard text.utf8.count <= Self.maximumLength, case .object(let members)? = try? JSONValue(text: text),
      members["type"] == "fck.event", let elementId = members["elementId"]?.stringValue,
      let kind = members["kind"]?.stringValue.flatMap(Kind.init)
    else { return nil }
    self.elementId = elementId
    self.kind = kind
    value = members["value"]
  }

  /// What the user did.
  ///
  /// - Parameter element: the element that the message names.
  /// - Returns: nothing if the element cannot be changed like that.
  func inputs(_ element: FlowElement) -> [FlowInput] {
    guard kind == .change else { return [.tap(elementId)] }
    switch (element.content, value) {
    case (.entry, .string(let text)?): return [.text(elementId, text)]
    case (.entry, .object(let members)?):
      if case .integer(let count)? = members["step"] { return [.step(elementId, by: Int(min(max(count, -1), 1)))] }
      guard let text = members["text"]?.stringValue else { return [] }
      return [.text(elementId, text), .commit(elementId)]
    case (.toggle, .bool(let isOn)?): return [.toggle(elementId, isOn: isOn)]
    case (.datePicker(let picker), .string(let text)?): return [date(text, picker.mode)]
    case (.datePicker(let picker), .object(let members)?):
      let isUnreadable = members["isUnreadable"] == true
      guard let text = members["text"]?.stringValue else { return isUnreadable ? [.unreadableDate(elementId, "")] : [] }
      return [isUnreadable ? .unreadableDate(elementId, text) : date(text, picker.mode), .commit(elementId)]
    case (.choice, .object(let members)?):
      guard let option = members["option"]?.stringValue, case .bool(let isSelected)? = members["isSelected"] else {
        return []
      }
      return [.option(elementId, option: option, isSelected: isSelected)]
    default: return []
    }
  }

  private func date(_ text: String, _ mode: FlowDatePicker.Mode) -> FlowInput {
    if EntryText.isBlank(text) { return .date(elementId, nil) }
    return FlowDateTime(text, mode: mode).map { .date(elementId, $0) } ?? .unreadableDate(elementId, text)
  }
}
