import TesseraJSON

/// A message of the page: `{"type": "fck.event", "elementId": …, "kind": "tap"|"change", "value": …}` (the dossier,
/// section 4).
struct FlowMessage: Equatable {
  enum Kind: String {
    case tap
    case change
  }

  /// The longest message, in bytes: a full field, with every character escaped.
  static let maximumLength = 128 << 10

  let elementId: String
  let kind: Kind
  /// Of a change. A field says its text, or `{"text": …}` when the person leaves it, or `{"step": …}`; a toggle a boolean;
  /// a date its value in HTML; a choice `{"option": …, "isSelected": …}`.
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

  /// What the person did.
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
    case (.datePicker(let picker), .string(let text)?):
      return [.date(elementId, FlowDateTime(text, mode: picker.mode))]
    case (.choice, .object(let members)?):
      guard let option = members["option"]?.stringValue, case .bool(let isSelected)? = members["isSelected"] else {
        return []
      }
      return [.option(elementId, option: option, isSelected: isSelected)]
    default: return []
    }
  }
}
