/// A day, a time of day, or both.
public struct FlowDatePicker: Sendable, Equatable {
  public enum Mode: String, Sendable, CaseIterable { case date, time, datetime }

  public var label: String?
  public var mode = Mode.date
  public var isRequired = false
  public var variableKey: String?

  public init() {}
}
