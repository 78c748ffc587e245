internal import TesseraJSON

/// The scripts that a view adds to every page of a flow (`ContentView.addScript`), in the page's own world.
package enum PageScripts {
  /// Runs before the page: the way to the program, and the whole page language. The document itself brings only data,
  /// so that no script of a page can come between.
  package static let documentStart = function(
    [
      PackageResources.channel_js, PackageResources.variables_js, PackageResources.templates_js,
      PackageResources.rules_js, PackageResources.actions_js, PackageResources.taps_js, PackageResources.onopen_js,
      PackageResources.translations_js, PackageResources.receive_js,
    ].map { String(decoding: $0, as: UTF8.self) })

  /// Runs before the page: no selection, copying, dragging, zooming; fields can be filled nevertheless.
  package static func hardening(_ options: PageOptions) -> String {
    function([
      "const hidesCaret = \(options.hidesCaret);", constant("viewport", PageDocument.viewport),
      constant("fields", fields), String(decoding: PackageResources.hardening_js, as: UTF8.self),
    ])
  }

  /// Runs after the load, for programs that do without the hardening: no selection and no menu. Idempotent.
  package static let afterLoad = function([
    constant("fields", fields), String(decoding: PackageResources.noselect_js, as: UTF8.self),
  ])

  /// The function of the page that receives `HostMessage.text` (`ContentDocument.call`).
  package static let receiver = ["__rampkitReceive"]

  /// The selector of the elements in which the user edits and selects.
  private static let fields = "input, textarea, select, [contenteditable]:not([contenteditable='false' i])"

  private static func constant(_ name: String, _ value: String) -> String {
    "const \(name) = \(JSONValue.string(value).scriptExpression);"
  }

  /// A function that is called at once, so that the scripts add no name to the page.
  private static func function(_ parts: [String]) -> String {
    "(() => {\n\"use strict\";\n\(parts.joined(separator: "\n"))})();\n"
  }
}

/// How the pages of a flow behave.
package struct PageOptions: Sendable, Equatable {
  /// Whether the caret is hidden in fields, too.
  package var hidesCaret = false
  /// The words of the button of a page without content.
  package var continueLabel = "Continue"

  package init() {}
}
