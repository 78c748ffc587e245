import TesseraFlowDocument
import TesseraJSON

/// The readers of members. Each notes a wrong value and returns nil for it, and for none.
extension FlowConfigDecoder {
  // MARK: - Texts

  /// A text that the user reads. A long one is cut.
  mutating func content(_ name: String, in object: FlowObject) -> String? {
    guard let text = text(object[name], object.path(name)) else { return nil }
    let scalars = text.unicodeScalars
    // The number of bytes is known, that of scalars is not.
    guard text.utf8.count > FlowConfigLimits.textLength,
      let end = scalars.index(scalars.startIndex, offsetBy: FlowConfigLimits.textLength, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    warning("The text has more than \(FlowConfigLimits.textLength) characters, so it is cut.", object.path(name))
    return String(scalars[..<end])
  }

  /// A text that is looked up: an id, a key, a type.
  mutating func name(_ name: String, in object: FlowObject) -> String? {
    guard let text = text(object[name], object.path(name)), isName(text, name, object.path(name)) else { return nil }
    return text
  }

  /// One of several words. Another one counts as none.
  mutating func word<Word>(_ name: String, in object: FlowObject, _ words: [String: Word]) -> Word? {
    guard let text = text(object[name], object.path(name)) else { return nil }
    if text.utf8.count <= 64, let word = words[text] { return word }
    warning("“\(name)” cannot be this word, so its default is used.", object.path(name))
    return nil
  }

  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, in object: FlowObject, _ words: Word.Type
  ) -> Word? where Word.RawValue == String {
    word(name, in: object, Dictionary(uniqueKeysWithValues: words.allCases.map { ($0.rawValue, $0) }))
  }

  // MARK: - Other values

  mutating func flag(_ name: String, in object: FlowObject) -> Bool? {
    switch object[name] {
    case nil: return nil
    case .bool(let flag)?: return flag
    case .string("true")?: return true
    case .string("false")?: return false
    default:
      error("The value must be true or false, so it is left out.", object.path(name))
      return nil
    }
  }

  /// A number without a unit, or a text of its digits.
  mutating func number(_ name: String, in object: FlowObject, _ limits: ClosedRange<Double>) -> Double? {
    guard let value = object[name] else { return nil }
    guard let number = Measure.number(value) else {
      error("The value must be a number, so it is left out.", object.path(name))
      return nil
    }
    return clamp(number, limits, object.path(name))
  }

  /// A number of pixels, with or without a unit.
  mutating func length(
    _ name: String, in object: FlowObject, _ limits: ClosedRange<Double> = FlowConfigLimits.length
  ) -> Double? {
    guard let value = object[name] else { return nil }
    guard let measure = Measure(json: value), let length = measure.length else {
      error("The value must be a number of pixels, so it is left out.", object.path(name))
      return nil
    }
    return clamp(measure.unit == .pixels ? measure.value : length, limits, object.path(name))
  }

  private mutating func clamp(
    _ number: Double, _ limits: ClosedRange<Double>, _ path: @autoclosure () -> [FlowProblem.Step]
  ) -> Double {
    let nearest = limits.clamp(number)
    if nearest != number {
      let (lower, upper) = (DecimalText.text(limits.lowerBound), DecimalText.text(limits.upperBound))
      warning("The number must be from \(lower) to \(upper), so \(DecimalText.text(nearest)) is used.", path())
    }
    return nearest
  }

  /// A wrong one is transparent.
  mutating func color(_ name: String, in object: FlowObject) -> FlowColor? {
    guard let text = text(object[name], object.path(name)) else { return nil }
    if let color = FlowColor(hex: text) { return color }
    warning("A colour has 3, 6 or 8 hexadecimal digits; this one is transparent.", object.path(name))
    return .transparent
  }

  /// A wrong one is `auto`.
  mutating func dimension(_ name: String, in object: FlowObject) -> Dimension? {
    guard let value = object[name] else { return nil }
    guard let dimension = Dimension(json: value) else {
      warning("The value is no size, so it is “auto”.", object.path(name))
      return .auto
    }
    if let measure = Measure(json: value) { _ = clamp(measure.value, measure.limits, object.path(name)) }
    return dimension
  }

  mutating func spacing(_ name: String, in object: FlowObject) -> Spacing? {
    guard let value = object[name] else { return nil }
    guard let spacing = Spacing(json: value) else {
      error("The value is no spacing, so it is left out.", object.path(name))
      return nil
    }
    guard case .object(let members) = value, members["value"] == nil else { return spacing }
    for side in ["top", "right", "bottom", "left"] {
      guard let value = members[side] else { continue }
      if Spacing.side(value) == nil {
        warning("A side of a spacing is a number of pixels; this one is 0.", object.path(name) + [.member(side)])
      } else if let measure = Measure(json: value) {
        _ = clamp(measure.value, measure.limits, object.path(name) + [.member(side)])
      }
    }
    return spacing
  }

  /// A whole number; nil for another one and for one that has more than 15 digits.
  static func integer(_ value: JSONValue) -> Int? {
    guard let number = Measure.number(value), abs(number) <= 1e15 else { return nil }
    return Int(exactly: number)
  }

  // MARK: - Lists and objects

  mutating func array(_ name: String, in object: FlowObject) -> [JSONValue] { array(object[name], object.path(name)) }

  mutating func object(_ name: String, in object: FlowObject) -> FlowObject? {
    switch object[name] {
    case nil: return nil
    case .object(let members)?: return FlowObject(members: members, path: object.path(name))
    default:
      error("The value must be an object, so it is left out.", object.path(name))
      return nil
    }
  }

  /// The elements of a list and their paths. A very long list is left out.
  mutating func list(
    _ name: String, in object: FlowObject, _ noun: String
  ) -> [(value: JSONValue, path: [FlowProblem.Step])] {
    let values = array(name, in: object)
    guard values.count <= FlowConfigLimits.listLength else {
      error(
        "There are \(values.count) \(noun). At most \(FlowConfigLimits.listLength) are allowed, so all are left out.",
        object.path(name))
      return []
    }
    return values.enumerated().map { ($1, object.path(name) + [.element($0)]) }
  }

  /// An element of a list that must be an object.
  mutating func entry(_ value: JSONValue, _ path: [FlowProblem.Step], _ noun: String) -> FlowObject? {
    guard case .object(let members) = value else {
      error("The \(noun) must be an object, so it is left out.", path)
      return nil
    }
    return FlowObject(members: members, path: path)
  }
}
