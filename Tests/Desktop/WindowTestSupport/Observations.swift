package import TesseraJSON

/// What a scenario printed: lines with a name and a value.
package struct Observations: Sendable {
  package let all: [(name: String, value: JSONValue)]

  package init(_ output: String) {
    all = output.split(separator: "\n").compactMap { line in
      guard let value = try? JSONValue(text: String(line)), let name = value["name"]?.stringValue else { return nil }
      return (name, value["value"] ?? .null)
    }
  }

  /// The value of the only observation with the name; null if there is none.
  package subscript(name: String) -> JSONValue { all.last { $0.name == name }?.value ?? .null }

  package func values(_ name: String) -> [JSONValue] { all.filter { $0.name == name }.map(\.value) }
}

extension JSONValue {
  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  package var texts: [String] { elements.compactMap(\.stringValue) }
}
