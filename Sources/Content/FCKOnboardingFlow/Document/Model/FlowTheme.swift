/// The colours and the font that the author chose.
public struct FlowTheme: Sendable, Equatable {
  /// A value with a name.
  public struct Variable: Sendable, Equatable {
    public var id: String
    public var key: String
    public var name: String
    public var type: String
    public var category: String?
    public var darkValue: String?
    public var lightValue: String?
    public var defaultValue: String?
    public var description: String?

    public init(id: String, key: String, name: String, type: String) {
      self.id = id
      self.key = key
      self.name = name
      self.type = type
    }
  }

  public var variables: [Variable] = []
  public var primaryColor: String?
  public var backgroundColor: String?
  public var textColor: String?
  public var fontFamily: String?

  public init() {}
}
