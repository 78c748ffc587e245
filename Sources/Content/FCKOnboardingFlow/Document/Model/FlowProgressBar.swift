/// How far the person is.
public struct FlowProgressBar: Sendable, Equatable {
  /// 0 to 100.
  public var progress = 0.0
  public var barColor = FlowColor(red: 0x00, green: 0x7A, blue: 0xFF)
  public var trackColor = FlowColor(red: 0xE5, green: 0xE5, blue: 0xE5)

  public init() {}
}
