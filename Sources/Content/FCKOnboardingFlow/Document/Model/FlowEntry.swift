/// A field for a line of text or a number.
public struct FlowEntry: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case text
    case email
    /// The flag of this country (ISO 3166, two letters) stands before the field. An `input` may have none: then the
    /// text is empty.
    case phone(countryCode: String)
    case number(FlowNumberRange)
  }

  public var kind: Kind
  public var placeholder: String
  public var label: String?
  public var isRequired = false
  public var variableKey: String?
  public var backgroundColor: FlowColor?
  public var border = FlowBorder()
  public var tapBehaviors: [TapBehavior] = []

  public init(kind: Kind, placeholder: String = "") {
    self.kind = kind
    self.placeholder = placeholder
  }
}

/// What a number may be. A decoded range has a `minimum` that is at most `maximum`, and a positive `step`.
public struct FlowNumberRange: Sendable, Equatable {
  /// The least number that is an answer; nil if the document states none.
  public var minimum: Double?
  /// The greatest number that is an answer; nil if the document states none.
  public var maximum: Double?
  /// What the buttons and the arrow keys reach on a side for which the document states no limit. It limits no answer. nil
  /// for an `input`: its steps reach every number.
  public var stepRange: ClosedRange<Double>? = 0...100
  public var step = 1.0
  public var showsStepper = false

  public init() {}
}

/// A day, a time of day, or both.
public struct FlowDatePicker: Sendable, Equatable {
  public enum Mode: String, Sendable, CaseIterable { case date, time, datetime }

  public var label: String?
  public var mode = Mode.date
  public var isRequired = false
  public var variableKey: String?

  public init() {}
}

/// A switch. Its answer is `true` or `false`.
public struct FlowToggle: Sendable, Equatable {
  public enum LabelPosition: Sendable { case left, right }

  public var label = ""
  public var labelPosition = LabelPosition.left
  /// `value`, else `defaultValue`.
  public var initialValue = false
  public var onColor = FlowColor(red: 0x00, green: 0xFF, blue: 0x41)
  public var offColor: FlowColor?
  public var thumbColor: FlowColor?
  public var variableKey: String?

  public init() {}
}
