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
