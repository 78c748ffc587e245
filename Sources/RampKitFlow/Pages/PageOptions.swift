/// How the pages of a flow behave.
public struct PageOptions: Sendable, Equatable {
  /// Whether the caret is hidden in fields, too.
  public var hidesCaret = false
  /// The words of the button of a page without content.
  public var continueLabel = "Continue"

  public init() {}
}
