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
