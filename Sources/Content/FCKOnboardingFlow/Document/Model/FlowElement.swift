/// Something on a screen (NativeScreens.md, rule 5): what all elements have, and what only some of them have.
public struct FlowElement: Sendable, Equatable {
  /// Unique in the screen.
  public var id: String
  /// Whether the document gives the id. Answers are stored under no other.
  public var hasOwnId: Bool
  public var padding: Spacing?
  public var margin: Spacing?
  public var width: Dimension?
  public var height: Dimension?
  public var content: Content

  public enum Content: Sendable, Equatable {
    case stack(FlowStack)
    case text(FlowText)
    case image(FlowImage)
    case button(FlowButton)
    /// `input`, `email`, `phone` and `number`.
    case entry(FlowEntry)
    case toggle(FlowToggle)
    /// `datepicker` and `datePicker`.
    case datePicker(FlowDatePicker)
    /// `choice` and `options`.
    case choice(FlowChoice)
    case progressBar(FlowProgressBar)
    /// A type that this version does not know. Nothing is drawn.
    case unknown(String)
  }

  public init(
    id: String, hasOwnId: Bool = true, padding: Spacing? = nil, margin: Spacing? = nil, width: Dimension? = nil,
    height: Dimension? = nil, content: Content
  ) {
    self.id = id
    self.hasOwnId = hasOwnId
    self.padding = padding
    self.margin = margin
    self.width = width
    self.height = height
    self.content = content
  }
}

/// How far the user is.
public struct FlowProgressBar: Sendable, Equatable {
  /// 0 to 100.
  public var progress = 0.0
  public var barColor = FlowColor(red: 0x00, green: 0x7A, blue: 0xFF)
  public var trackColor = FlowColor(red: 0xE5, green: 0xE5, blue: 0xE5)

  public init() {}
}
