/// One thing to draw. Every rule of the document is applied: both back ends, GTK and HTML, draw it as it is.
package struct RenderNode: Sendable, Equatable {
  /// What a node draws.
  package enum Content: Sendable, Equatable {
    /// Draws the children beside or below each other.
    case stack(RenderStack)
    case text(RenderText)
    case picture(RenderPicture)
    /// Draws its text, or its children if it has some.
    case button(RenderButton)
    case entry(RenderEntry)
    case toggle(RenderToggle)
    case datePicker(RenderDatePicker)
    case choice(RenderChoice)
    case progressBar(RenderProgressBar)
  }

  /// The id of the element, unique in the screen. It names the element in `FlowInput`.
  package var id: String
  package var content: Content
  package var box: RenderBox
  package var role: RenderRole
  /// What assistive technology calls the node; nil if it has no name of its own.
  package var name: String?
  /// What the node shows while it is pressed; nil if pressing it does nothing.
  package var press: PressEffect?
  /// Of stacks and buttons.
  package var children: [RenderNode] = []

  /// Whether the user can press the node. The innermost such node gets the press.
  package var isTappable: Bool { press != nil }
}

/// The place of a node and what lies behind it. All numbers are pixels of the desktop, finite and not negative.
package struct RenderBox: Sendable, Equatable {
  package var margin = Spacing.zero
  /// Between the border and the content.
  package var padding = Spacing.zero
  /// Of the border box: with the padding and the border, without the margin. `FlowLayout` resolves it.
  package var width = Dimension.auto
  package var height = Dimension.auto
  /// nil draws nothing.
  package var background: FlowColor?
  package var border = RenderBorder()
}

/// The line around a box.
package struct RenderBorder: Sendable, Equatable {
  package var radius = 0.0
  /// 0 draws no line.
  package var width = 0.0
  package var color = FlowColor.transparent
}

/// A colour to draw with.
package enum RenderColor: Sendable, Equatable {
  /// The colour of texts in the desktop's theme, so that a text on the window's own background is readable in light and
  /// dark.
  case theme
  /// The author's colour, or one that is readable on the author's background. It is the same in light and dark.
  case fixed(FlowColor)
}

/// What assistive technology is told a node is.
package enum RenderRole: String, Sendable {
  /// A container without a meaning of its own.
  case none
  /// A container that can be pressed, and that contains controls.
  case group
  case text
  case image
  case button
  case textField
  case spinButton
  case toggle = "switch"
  case dateField
  /// Of a choice of one.
  case radioGroup
  case radio
  /// Of a choice of several.
  case checkGroup
  case checkBox
  case progressBar
}

/// What a pressed element looks like. It changes to that and back, each in `duration`, ease-in-out.
package struct PressEffect: Sendable, Equatable {
  package var scale = 1.0
  package var opacity = 1.0
  /// In seconds.
  package var duration = 0.15

  /// Whether nothing changes.
  package var isPlain: Bool { scale == 1 && opacity == 1 }
}
