package import TesseraJSON

/// A message of a page (Passage.md, rule 18). A page says what it likes: what a message may cause depends on the page
/// that sent it.
package enum PageMessage: Sendable, Equatable {
  // MARK: The result channel, which pages of third parties have too

  /// The result of a script that runs on.
  case result(ScriptMessage)
  case clientNavigation(ClientNavigation)
  /// What the page was asked to collect.
  case pageData(JSONValue)
  /// `console_error`, `javascript_error` or `unhandled_rejection`.
  case report(PageReport)

  // MARK: For the UI page only

  case connectionSuccess(PassageSuccessData)
  case connectionError(PassageErrorData)
  case closeModal
  case navigate(String)
  case close
  case closeConfirmed
  case closeCancelled
  case setTitle(String)
  /// nil for the other one than now.
  case switchWebview(PassageView?)
  case showBottomSheet(BottomSheet)
  case showWebsite(String)
  case preloadWebsite(String)
  case captureScreenshot
  case send(PageRequest)
  case changeUserAgent(String)
  case openLink(String)
  case setKeyboard(isEnabled: Bool)
  case setRedirectOnDone(isEnabled: Bool)
  /// Anything else; nobody waits for it.
  case other(type: String)

  /// Whether pages of third parties may send it.
  package var isOfResultChannel: Bool {
    switch self {
    case .result, .clientNavigation, .pageData, .report: true
    default: false
    }
  }
}

/// The result of a script as a message, by the identifier of its command.
package struct ScriptMessage: Sendable, Equatable {
  package var commandId: String
  package var outcome: ScriptOutcome

  package init(commandId: String, outcome: ScriptOutcome) {
    self.commandId = commandId
    self.outcome = outcome
  }
}

/// A page changed its address without a load.
package struct ClientNavigation: Sendable, Equatable {
  package enum Method: String, Sendable, CaseIterable { case pushState, replaceState, popstate, hashchange }

  package var method: Method
  package var address: String
}

/// An error in a page. Its text stays in the page: it can contain what the user typed.
package struct PageReport: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case console = "console_error"
    case javaScript = "javascript_error"
    case rejection = "unhandled_rejection"
  }

  package var kind: Kind
  package var line: Int?
  package var column: Int?
  /// Whether a primitive value was the key of a WeakMap.
  package var isWeakMapError: Bool
}

/// The content of a bottom sheet (Passage.md, rule 17).
package struct BottomSheet: Sendable, Equatable {
  package var title: String
  package var description: String?
  package var points: [String] = []
  /// nil for a sheet without a button. With a field, `Submit` is the default.
  package var closeButtonText: String?
  /// Whether the sheet asks for an address, which is loaded in the automation view.
  package var showsInput = false

  private static let longestLine = 200
  private static let longestText = 4_000
  private static let mostPoints = 50

  package init(title: String) { self.title = title }

  /// - Returns: nil without a title.
  init?(_ members: JSONObject) {
    guard let title = members["title"]?.stringValue else { return nil }
    self.init(title: title.shortened(to: Self.longestLine))
    description = members["description"]?.stringValue?.shortened(to: Self.longestText)
    points = (members["points"]?.texts ?? []).prefix(Self.mostPoints).map { $0.shortened(to: Self.longestText) }
    showsInput = members["showInput"]?.boolValue ?? false
    closeButtonText =
      members["closeButtonText"]?.stringValue?.shortened(to: Self.longestLine) ?? (showsInput ? "Submit" : nil)
  }
}
