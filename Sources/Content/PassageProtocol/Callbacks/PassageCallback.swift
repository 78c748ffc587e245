public import TesseraJSON

/// What a program is told.
package enum PassageCallback: Sendable, Equatable {
  case connectionComplete(PassageSuccessData)
  case connectionError(PassageErrorData)
  case dataComplete(PassageDataResult)
  case promptComplete(PassagePromptResponse)
  case exit(PassageExitReason)
  case webviewChange(PassageView)
}

/// Why Passage was closed (Passage.md, rule 15).
public enum PassageExitReason: String, Sendable, CaseIterable {
  case userAction = "user_action"
  case programmaticClose = "programmatic_close"
  case success, error
}

/// A connection to a third party's site that was made.
public struct PassageSuccessData: Sendable, Equatable {
  public var history: [PassageHistoryItem]
  /// Empty if the server named none.
  public var connectionId: String
  /// Everything the server sent.
  public var data: JSONValue?

  public init(history: [PassageHistoryItem], connectionId: String, data: JSONValue? = nil) {
    self.history = history
    self.connectionId = connectionId
    self.data = data
  }
}

/// One thing that a connection brought: the member `structuredData`, and all others.
public struct PassageHistoryItem: Sendable, Equatable {
  public var structuredData: JSONValue?
  public var additionalData: JSONObject

  public init(structuredData: JSONValue? = nil, additionalData: JSONObject = [:]) {
    self.structuredData = structuredData
    self.additionalData = additionalData
  }

  init?(_ value: JSONValue) {
    guard case .object(var members) = value else { return nil }
    structuredData = members["structuredData"]
    members["structuredData"] = nil
    additionalData = members
  }
}

public struct PassageErrorData: Error, Sendable, Equatable {
  public var error: String
  public var data: JSONValue?

  public init(error: String, data: JSONValue? = nil) {
    self.error = error
    self.data = data
  }
}

public struct PassageDataResult: Sendable, Equatable {
  public var data: JSONValue?
  public var prompts: [JSONObject]?

  public init(data: JSONValue? = nil, prompts: [JSONObject]? = nil) {
    self.data = data
    self.prompts = prompts
  }
}

/// The answer to one of the program's prompts.
public struct PassagePromptResponse: Sendable, Equatable {
  public var key: String
  public var value: String
  public var response: JSONValue?

  public init(key: String, value: String, response: JSONValue? = nil) {
    self.key = key
    self.value = value
    self.response = response
  }
}
