package import TesseraJSON

/// A width or a height in the document (NativeScreens.md, rule 4).
public enum Dimension: Sendable, Equatable {
  /// As large as the content needs.
  case auto
  /// As large as the parent allows.
  case fill
  /// Pixels of the desktop. `rem` and `em` are 16 of them.
  case pixels(Double)
  /// Of the parent's size in the same direction.
  case percent(Double)
  /// Of the window's width.
  case viewportWidth(Double)
  /// Of the window's height.
  case viewportHeight(Double)

  /// Reads `fill`, `auto`, a number, a text such as `12px`, `2rem`, `50%` or `10vh`, or `{value, unit}`.
  ///
  /// Negative and very large values become the nearest that a window can have.
  ///
  /// - Returns: nil for anything else, which a document means as `auto`.
  package init?(json: JSONValue) {
    if json == "auto" {
      self = .auto
    } else if json == "fill" {
      self = .fill
    } else if let measure = Measure(json: json) {
      let value = measure.limits.clamp(measure.value)
      self =
        switch measure.unit {
        case .pixels: .pixels(value)
        case .percent: .percent(value)
        case .viewportWidth: .viewportWidth(value)
        case .viewportHeight: .viewportHeight(value)
        }
    } else {
      return nil
    }
  }

  /// The form that `init(json:)` reads without a change.
  package var json: JSONValue {
    switch self {
    case .auto: "auto"
    case .fill: "fill"
    case .pixels(let value): ["value": JSONValue(measure: value), "unit": "px"]
    case .percent(let value): ["value": JSONValue(measure: value), "unit": "%"]
    case .viewportWidth(let value): ["value": JSONValue(measure: value), "unit": "vw"]
    case .viewportHeight(let value): ["value": JSONValue(measure: value), "unit": "vh"]
    }
  }
}
