/// Writes the syntax of `nats-server`'s configuration.
struct ServerSettings {
  private(set) var text = ""
  private var depth = 0

  private mutating func indent() { text += String(repeating: "  ", count: depth) }

  mutating func comment(_ line: String) {
    indent()
    text += "# \(line)\n"
  }

  mutating func line(_ line: String) {
    indent()
    text += "\(line)\n"
  }

  mutating func set(_ name: String, _ value: Int) { line("\(name): \(value)") }

  mutating func set(_ name: String, _ value: Bool) { line("\(name): \(value)") }

  /// - Throws: `FleetAuthorityError.badValue`.
  mutating func set(_ name: String, _ value: String) throws { line("\(name): \(try Self.quoted(value, name))") }

  /// A list of words, one in each line.
  mutating func set(_ name: String, _ values: [String]) throws {
    try list(name, values) { try Self.quoted($0, name) }
  }

  /// A list with one line for each element.
  mutating func list<Element>(_ name: String, _ elements: [Element], _ form: (Element) throws -> String) rethrows {
    line("\(name): [")
    depth += 1
    for element in elements { line(try form(element)) }
    depth -= 1
    line("]")
  }

  mutating func block(_ name: String, _ body: (inout ServerSettings) throws -> Void) rethrows {
    line("\(name) {")
    depth += 1
    try body(&self)
    depth -= 1
    line("}")
  }

  /// A list of blocks.
  mutating func blocks<Element>(
    _ name: String, _ elements: [Element], _ body: (inout ServerSettings, Element) throws -> Void
  ) rethrows {
    line("\(name): [")
    depth += 1
    for element in elements {
      line("{")
      depth += 1
      try body(&self, element)
      depth -= 1
      line("}")
    }
    depth -= 1
    line("]")
  }

  /// A string of the configuration. Its parser knows escapes, and reads no variable in quotation marks.
  static func quoted(_ value: String, _ setting: String) throws -> String {
    guard !value.isEmpty, value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw FleetAuthorityError.badValue(setting: setting)
    }
    var text = "\""
    for character in value.unicodeScalars {
      if character == "\"" || character == "\\" { text += "\\" }
      text.unicodeScalars.append(character)
    }
    return text + "\""
  }
}
