/// Labels with their texts, as a description list.
struct FieldList {
  private var fields: [HTML] = []

  var isEmpty: Bool { fields.isEmpty }

  /// Adds a text of the document. An empty one is left out.
  mutating func add(_ label: String, _ text: String?, limit: Int = 160, _ attributes: [Attribute] = []) {
    guard let text, !text.isEmpty else { return }
    add(label, attributes, [.chip(text, limit: limit)])
  }

  mutating func add(_ label: String, _ attributes: [Attribute] = [], _ content: [HTML]) {
    fields.append(.element("div", attributes, [.element("dt", [], label), .element("dd", [], content)]))
  }

  func html(_ attributes: [Attribute]) -> HTML { .element("dl", attributes, fields) }
}
