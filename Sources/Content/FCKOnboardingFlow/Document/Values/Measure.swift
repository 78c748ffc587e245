import TesseraFlowDocument
import TesseraJSON

/// A number with a unit, as the document writes it (NativeScreens.md, rule 4): a number, a text, or `{value, unit}`.
struct Measure: Equatable {
  enum Unit { case pixels, percent, viewportWidth, viewportHeight }

  /// The pixels of `rem` and `em`.
  static let em = 16.0

  var value: Double
  var unit: Unit

  /// - Returns: nil if it is none of the forms.
  init?(json: JSONValue) {
    switch json {
    case .string(let text): self.init(text: text)
    case .object(let members):
      guard let value = members["value"].flatMap(Self.number) else { return nil }
      self.init(value, unit: members["unit"]?.stringValue ?? "px")
    default:
      guard let value = json.doubleValue else { return nil }
      self.init(value, unit: "px")
    }
  }

  /// `12px`, `2rem`, `1.5em`, `50%`, `10vw`, `10vh`, `12`.
  private init?(text: String) {
    guard let text = Self.shortText(text) else { return nil }
    // `rem` before `em`, which it ends with.
    let unit = ["px", "rem", "em", "%", "vw", "vh"].first(where: text.hasSuffix) ?? ""
    guard let value = Self.number(.string(String(text.dropLast(unit.count)))) else { return nil }
    self.init(value, unit: unit)
  }

  private init(_ value: Double, unit: String) {
    switch Self.shortText(unit) {
    case "rem", "em": (self.value, self.unit) = (value * Self.em, .pixels)
    case "%": (self.value, self.unit) = (value, .percent)
    case "vw": (self.value, self.unit) = (value, .viewportWidth)
    case "vh": (self.value, self.unit) = (value, .viewportHeight)
    // An unknown unit is pixels.
    default: (self.value, self.unit) = (value, .pixels)
    }
  }

  /// The values that the unit may have.
  var limits: ClosedRange<Double> { unit == .pixels ? FlowConfigLimits.length : FlowConfigLimits.share }

  /// A number, or a text of decimal digits. It is finite.
  static func number(_ json: JSONValue) -> Double? {
    guard case .string(let text) = json else { return json.doubleValue }
    // `Double` would also take `nan`, `infinity` and hexadecimal digits.
    guard let text = shortText(text), text.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// The text without spaces around it; nil if it is too long for a measure.
  private static func shortText(_ text: String) -> Substring? {
    guard text.utf8.count <= 64 else { return nil }
    var rest = text[...]
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}

extension JSONValue {
  /// The shortest form of a finite number.
  init(measure number: Double) {
    if let integer = Int64(exactly: number) {
      self = .integer(integer)
    } else {
      self = JSONNumber(number).map(JSONValue.number) ?? .integer(0)
    }
  }
}

extension ClosedRange<Double> {
  /// The nearest value of the range.
  func clamp(_ value: Double) -> Double { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
