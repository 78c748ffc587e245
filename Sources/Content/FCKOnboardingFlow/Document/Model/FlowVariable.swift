public import TesseraJSON

/// A variable that the author declared.
public struct FlowVariable: Sendable, Equatable {
  public var id: String
  public var key: String
  public var name: String
  public var type: String
  /// Any JSON: the mobile SDK wants text, and loses all variables of the flow if one is something else.
  public var defaultValue: JSONValue?

  public init(id: String, key: String, name: String, type: String, defaultValue: JSONValue? = nil) {
    self.id = id
    self.key = key
    self.name = name
    self.type = type
    self.defaultValue = defaultValue
  }
}
