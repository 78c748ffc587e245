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
