/// A flow: screens that are drawn with native widgets (dossier, 2.3).
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
