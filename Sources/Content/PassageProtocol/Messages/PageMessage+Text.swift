internal import TesseraJSON

extension PageMessage {
  /// No message is longer, in bytes.
  package static let longest = 4 << 20
  private static let longestTitle = 200

  /// Reads a message: the JSON of an object. Its `webViewType` is not believed.
  ///
  /// - Returns: nil if the message is malformed; it is then ignored.
  package init?(text: String) {
    guard text.utf8.count <= Self.longest, case .object(let members)? = try? JSONValue(text: text) else { return nil }
    let type = members["type"]
    guard type == nil || type == .null || type?.name != nil else { return nil }
    self.init(type: type?.name ?? "message", members)
  }

  private init?(type: String, _ members: JSONObject) {
    func text(_ name: String) -> String? { members[name]?.stringValue }
    func filled<Value>(_ name: String, _ make: (String) -> Value) -> Value? {
      text(name).flatMap { $0.isEmpty ? nil : make($0) }
    }
    let message: PageMessage?
    switch type {
    case "message": message = Self.content(members)
    case "navigate": message = filled("url", Self.navigate)
    case "close": message = .close
    case "CLOSE_CONFIRMED": message = .closeConfirmed
    case "CLOSE_CANCELLED": message = .closeCancelled
    case "setTitle": message = text("title").map { .setTitle($0.shortened(to: Self.longestTitle)) }
    case "switchWebview": message = .switchWebview(nil)
    case "showBottomSheet": message = BottomSheet(members).map(Self.showBottomSheet)
    case "showBottomSheetWebsite": message = filled("url", Self.showWebsite)
    case "preloadBottomSheetWebsite": message = filled("url", Self.preloadWebsite)
    case "captureScreenshot": message = .captureScreenshot
    case "sendToBackend":
      message = PageRequest(.api, path: members["apiPath"], data: members["data"], headers: members["headers"])
        .map(Self.send)
    case "sendToSession":
      message = PageRequest(.session, path: members["path"], data: members["data"], headers: members["headers"])
        .map(Self.send)
    case "changeAutomationUserAgent":
      message = text("userAgent").flatMap(AutomationConfiguration.userAgent).map(Self.changeUserAgent)
    case "openLink": message = filled("url", Self.openLink)
    case "enableKeyboard": message = .setKeyboard(isEnabled: true)
    case "disableKeyboard": message = .setKeyboard(isEnabled: false)
    case "setRedirectOnDoneCommand": message = members["enabled"]?.boolValue.map { .setRedirectOnDone(isEnabled: $0) }
    case "clientNavigation":
      let method = text("navigationMethod").flatMap { name in
        ClientNavigation.Method.allCases.first { $0.rawValue.hasBytes(of: name) }
      }
      message = method.flatMap { method in
        text("url").map { .clientNavigation(ClientNavigation(method: method, address: $0)) }
      }
    case "pageData": message = members["data"].map(Self.pageData)
    default:
      let report = PageReport.Kind.allCases.first { $0.rawValue.hasBytes(of: type) }.map { PageReport($0, members) }
      message = report.map(Self.report) ?? Self.controller(type, members)
    }
    guard let message else { return nil }
    self = message
  }

  /// The content of a message: an object, or its JSON as a text.
  private static func content(_ members: JSONObject) -> PageMessage? {
    var content = members["data"]
    if let text = content?.stringValue { content = try? JSONValue(text: text) }
    guard let content = content?.objectValue else { return .other(type: "message") }
    let type = content["type"]?.name
    if let id = content["commandId"]?.stringValue, type == "injectScript" || type == "wait" {
      return .result(ScriptMessage(commandId: id, outcome: outcome(content["error"], content["value"])))
    }
    return controller(type ?? "message", content)
  }

  /// The messages for the controller.
  private static func controller(_ type: String, _ members: JSONObject) -> PageMessage? {
    switch type {
    case "commandResult":
      guard let id = members["commandId"]?.stringValue else { return nil }
      var error = members["error"]?.ifPresent
      if error == nil, members["status"]?.name == "error" { error = .string(ServerEvent.unknownError) }
      return .result(ScriptMessage(commandId: id, outcome: outcome(error, members["data"])))
    case "waitForInteraction":
      guard let id = members["commandId"]?.stringValue, let interaction = members["interactionType"]?.name,
        ["click", "scroll", "blur"].contains(interaction)
      else { return nil }
      var value: JSONObject = ["interactionType": .string(interaction)]
      value["value"] = members["value"].map(PasswordMask.masked)
      return .result(ScriptMessage(commandId: id, outcome: .value(.object(value))))
    case "CONNECTION_SUCCESS":
      let data = members["data"]?.objectValue.map(JSONValue.object) ?? .object(members)
      var success = PassageSuccessData(connections: data)
      if let history = data["history"]?.arrayValue, success.history.isEmpty {
        success.history = history.compactMap(PassageHistoryItem.init)
      }
      if success.connectionId.isEmpty { success.connectionId = members["connectionId"]?.stringValue ?? "" }
      return .connectionSuccess(success)
    case "CONNECTION_ERROR":
      let error = members["error"]?.stringValue ?? members["data"]?["error"]?.stringValue
      return .connectionError(PassageErrorData(error: error ?? ServerEvent.unknownError, data: .object(members)))
    case "CLOSE_MODAL": return .closeModal
    case "SWITCH_WEBVIEW":
      return members["targetWebView"]?.name.flatMap(PassageView.init).map { .switchWebview($0) }
    case "OPEN_EXTERNAL_URL": return members["url"]?.stringValue.map { .openLink($0) }
    default: return .other(type: type.shortened(to: 64))
    }
  }

  private static func outcome(_ error: JSONValue?, _ value: JSONValue?) -> ScriptOutcome {
    if let error = error?.ifPresent {
      return .error(error.stringValue ?? error["message"]?.stringValue ?? ServerEvent.unknownError)
    }
    return value.map { .value($0) } ?? .nothing
  }
}

extension PageReport {
  fileprivate init(_ kind: Kind, _ members: JSONObject) {
    func number(_ name: String) -> Int? {
      guard case .integer(let number)? = members[name] else { return nil }
      return Int(exactly: number)
    }
    self.kind = kind
    line = number("line")
    column = number("column")
    isWeakMapError = members["isWeakMapError"]?.boolValue ?? false
  }
}

/// Hides what the user typed into a field for a password (Passage.md, rule 7).
enum PasswordMask {
  /// What takes the place of a password.
  static let mask = "********"

  /// The value of an interaction, with the text of a password field replaced.
  static func masked(_ value: JSONValue) -> JSONValue {
    guard case .object(var members) = value, case .object(var element)? = members["elementInfo"],
      isPassword(element)
    else { return value }
    for name in ["inputValue", "value"] where members[name]?.ifPresent != nil { members[name] = .string(mask) }
    for name in ["value", "inputValue", "defaultValue", "outerHTML"] where element[name]?.ifPresent != nil {
      element[name] = .string(mask)
    }
    members["elementInfo"] = .object(element)
    return .object(members)
  }

  private static func isPassword(_ element: JSONObject) -> Bool {
    ["type", "inputType", "autocomplete"].contains { name in
      element[name]?.name?.lowercased().contains("password") ?? false
    }
  }
}
