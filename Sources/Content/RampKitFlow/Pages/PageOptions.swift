/// How the pages of a flow behave.
package struct PageOptions: Sendable, Equatable {
  /// Whether the caret is hidden in fields, too.
  package var hidesCaret = false
  /// The words of the button of a page without content.
  package var continueLabel = "Continue"

  package init() {}
}
