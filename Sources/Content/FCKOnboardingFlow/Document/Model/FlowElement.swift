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

/// Elements beside or below each other.
public struct FlowStack: Sendable, Equatable {
  public enum Axis: String, Sendable { case vertical, horizontal }
  /// Along the axis.
  public enum Distribution: Sendable { case start, center, end, spaceBetween, spaceAround, spaceEvenly }
  /// Across the axis.
  public enum Alignment: Sendable { case start, center, end }
  /// How much of what is behind is seen. Linux has no such material: all of them are a white of 30 %.
  public enum Glass: String, Sendable, CaseIterable { case ultraThin, thin, regular, thick, ultraThick }

  public var axis = Axis.vertical
  /// Between the children, in pixels.
  public var spacing = 0.0
  public var distribution = Distribution.start
  public var alignItems = Alignment.center
  public var backgroundColor: FlowColor?
  public var border = FlowBorder()
  public var glass: Glass?
  public var tapBehaviors: [TapBehavior] = []
  public var children: [FlowElement] = []

  public init() {}
}

/// A text that is read.
public struct FlowText: Sendable, Equatable {
  public enum Alignment: Sendable { case left, center, right }
  public enum Weight: String, Sendable, CaseIterable { case thin, light, regular, medium, semibold, bold, black }

  public var content: String
  /// In pixels.
  public var fontSize = 16.0
  public var color = FlowColor(red: 0, green: 0, blue: 0)
  public var alignment = Alignment.left
  public var weight = Weight.regular
  public var tapBehaviors: [TapBehavior] = []

  public init(content: String) { self.content = content }
}

/// A picture.
public struct FlowImage: Sendable, Equatable {
  /// `contain` shows all of the picture, `cover` fills the box with a part of it.
  public enum Fit: Sendable { case contain, cover }

  /// As the document says it; only `https` addresses are loaded.
  public var url: String
  /// What a screen reader says.
  public var alt: String?
  public var fit = Fit.contain
  /// In pixels.
  public var borderRadius = 0.0
  public var tapBehaviors: [TapBehavior] = []

  public init(url: String) { self.url = url }
}

/// The line around an element.
public struct FlowBorder: Sendable, Equatable {
  /// Of the corners, in pixels.
  public var radius: Double?
  public var color: FlowColor?
  /// In pixels.
  public var width: Double?

  public init(radius: Double? = nil, color: FlowColor? = nil, width: Double? = nil) {
    self.radius = radius
    self.color = color
    self.width = width
  }
}

/// A button with a text, or with elements in it.
public struct FlowButton: Sendable, Equatable {
  /// `outline` has a line in the colour of the background, and no background.
  public enum Style: Sendable { case filled, outline }
  /// What the button does if it has no behaviour that leads somewhere.
  public enum Action: String, Sendable, CaseIterable { case next, back, skip, complete }

  public var text = ""
  public var action: Action?
  public var style = Style.filled
  public var backgroundColor = FlowColor(red: 0x00, green: 0x7A, blue: 0xFF)
  public var textColor = FlowColor(red: 0xFF, green: 0xFF, blue: 0xFF)
  /// In pixels.
  public var borderRadius = 12.0
  public var tapBehaviors: [TapBehavior] = []
  public var children: [FlowElement] = []

  public init() {}
}

/// What happens when the user presses an element: first what is felt and seen, then, after `delay`, where it leads.
public struct TapBehavior: Sendable, Equatable {
  public enum Intensity: String, Sendable, CaseIterable { case light, medium, heavy }

  public enum Kind: Sendable, Equatable {
    case navigate(screenId: String)
    case back
    case complete
    case haptics(Intensity)
    /// `scale` is the size while pressed.
    case bump(scale: Double)
    /// `opacity` while pressed, 0 to 1.
    case opacity(Double)
  }

  public var kind: Kind
  /// In seconds, before `navigate`, `back` and `complete`.
  public var delay: Double
  /// In seconds, of the animation.
  public var duration: Double

  public init(_ kind: Kind, delay: Double = 0, duration: Double = 0.15) {
    self.kind = kind
    self.delay = delay
    self.duration = duration
  }
}
