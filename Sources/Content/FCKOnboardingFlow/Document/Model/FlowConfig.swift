public import TesseraJSON

/// A flow: screens that are drawn with native widgets (NativeScreens.md, rule 3).
///
/// The JSON is tolerant: a missing member has a default, an unknown one is ignored, and a wrong part is left out while
/// the rest is kept. `FlowProblem` says what was left out.
public struct FlowConfig: Sendable, Equatable {
  public var flowId: String?
  public var name: String?
  public var version: Int
  /// In their order in the document. Their ids are unique.
  public var screens: [FlowScreen]
  /// Kept, and not applied: the mobile SDK does not apply it either.
  public var theme: FlowTheme?
  public var variables: [FlowVariable]
  /// As the document says it, ISO 8601.
  public var updatedAt: String?

  public init(
    flowId: String? = nil, name: String? = nil, version: Int, screens: [FlowScreen], theme: FlowTheme? = nil,
    variables: [FlowVariable] = [], updatedAt: String? = nil
  ) {
    self.flowId = flowId
    self.name = name
    self.version = version
    self.screens = screens
    self.theme = theme
    self.variables = variables
    self.updatedAt = updatedAt
  }
}

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

/// One screen of a flow.
public struct FlowScreen: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case informational
    case question
    /// A type that this version does not know. It is drawn like the others.
    case unknown(String)
  }

  /// Unique in the flow.
  public var id: String
  public var kind: Kind
  /// Kept, and not applied: the mobile SDK does not apply it either. An element `progressbar` is drawn whatever it says.
  public var showProgressBar: Bool
  public var root: FlowElement
  /// Kept, and not followed: the mobile SDK does not follow them either.
  public var routes: [FlowRoute]

  public init(
    id: String, kind: Kind, showProgressBar: Bool = true, root: FlowElement, routes: [FlowRoute] = []
  ) {
    self.id = id
    self.kind = kind
    self.showProgressBar = showProgressBar
    self.root = root
    self.routes = routes
  }
}

/// A way from a screen to another one.
public struct FlowRoute: Sendable, Equatable {
  public var condition: String?
  public var targetScreenId: String?

  public init(condition: String? = nil, targetScreenId: String? = nil) {
    self.condition = condition
    self.targetScreenId = targetScreenId
  }
}
