package import TesseraJSON

/// The padding or the margin of an element, in pixels of the desktop (NativeScreens.md, rule 4).
public struct Spacing: Sendable, Equatable {
  public var top: Double
  public var right: Double
  public var bottom: Double
  public var left: Double

  public static let zero = Spacing(top: 0, right: 0, bottom: 0, left: 0)

  public init(top: Double, right: Double, bottom: Double, left: Double) {
    self.top = top
    self.right = right
    self.bottom = bottom
    self.left = left
  }

  /// The same on all sides.
  public init(_ all: Double) { self.init(top: all, right: all, bottom: all, left: all) }

  /// Reads `{top, right, bottom, left}`, of which any may be missing, or one value for all sides.
  ///
  /// A side is a number, `{value, unit}`, `auto` or a text of digits. A text of another kind and a part of the parent
  /// are 0. `vw` and `vh` are parts of the mobile SDK's window of 375 × 667 pixels. Negative and very large values
  /// become the nearest that a window can have.
  ///
  /// - Returns: nil for anything else.
  package init?(json: JSONValue) {
    if case .object(let members) = json, members["value"] == nil {
      func side(_ name: String) -> Double { members[name].flatMap(Self.side) ?? 0 }
      self.init(top: side("top"), right: side("right"), bottom: side("bottom"), left: side("left"))
    } else {
      guard let all = Self.side(json) else { return nil }
      self.init(all)
    }
  }

  /// The form that `init(json:)` reads without a change.
  package var json: JSONValue {
    [
      "top": JSONValue(measure: top), "right": JSONValue(measure: right), "bottom": JSONValue(measure: bottom),
      "left": JSONValue(measure: left),
    ]
  }

  /// - Returns: nil if it is no side of a spacing.
  static func side(_ json: JSONValue) -> Double? {
    switch json {
    case "auto", .null: return 0
    case .string:
      // Not a text with a unit: the mobile SDK reads it as 0, and the designs are made for that.
      guard let number = Measure.number(json) else { return nil }
      return FlowConfigLimits.length.clamp(number)
    default: return Measure(json: json)?.length
    }
  }
}

extension Measure {
  /// In pixels, within the limits; nil for a part of the parent, whose size is not known here.
  var length: Double? {
    switch unit {
    case .pixels: limits.clamp(value)
    case .percent: nil
    // The window that the mobile SDK computes with, whatever the real one is.
    case .viewportWidth: limits.clamp(value) * 3.75
    case .viewportHeight: limits.clamp(value) * 6.67
    }
  }
}
