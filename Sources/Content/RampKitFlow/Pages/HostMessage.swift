package import TesseraJSON

/// What the program says to a page: the only argument of the page's function at `PageScripts.receiver`.
package enum HostMessage: Sendable, Equatable {
  /// Values of variables.
  case variables(JSONObject)
  /// Where the flow stands.
  case state(currentIndex: Int, screenId: String, totalScreens: Int)
  /// The page is shown, or was left. The first tells it to run its on-open actions.
  case visible(Bool, screenIndex: Int, screenId: String)

  package var text: String { json.text }

  private var json: JSONValue {
    switch self {
    case .variables(let variables): ["kind": "variables", "vars": .object(variables)]
    case .state(let currentIndex, let screenId, let totalScreens):
      [
        "kind": "state", "currentIndex": .integer(Int64(currentIndex)), "screenId": .string(screenId),
        "totalScreens": .integer(Int64(totalScreens)),
      ]
    case .visible(let isVisible, let screenIndex, let screenId):
      [
        "kind": "visible", "isVisible": .bool(isVisible), "screenIndex": .integer(Int64(screenIndex)),
        "screenId": .string(screenId),
      ]
    }
  }
}
