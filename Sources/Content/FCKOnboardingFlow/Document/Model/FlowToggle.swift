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
