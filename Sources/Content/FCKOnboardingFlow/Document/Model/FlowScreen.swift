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
