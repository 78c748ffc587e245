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
