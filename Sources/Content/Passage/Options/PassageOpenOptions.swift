public import PassageProtocol

/// What a program opens Passage with, and what it wants to be told.
public struct PassageOpenOptions: Sendable {
  /// The token of the program's server.
  public var intentToken: String
  /// What the program wants to know of the third party's data. The server that issued the token has them, too; the
  /// answers come by `onPromptComplete`.
  public var prompts: [PassagePrompt]
  /// The connection to the third party's site was made.
  public var onConnectionComplete: (@MainActor @Sendable (PassageSuccessData) -> Void)?
  /// Something failed. The session may go on: `onExit` says when it ends.
  public var onConnectionError: (@MainActor @Sendable (PassageErrorData) -> Void)?
  /// All data, or a part of it, is available.
  public var onDataComplete: (@MainActor @Sendable (PassageDataResult) -> Void)?
  /// A prompt has an answer.
  public var onPromptComplete: (@MainActor @Sendable (PassagePromptResponse) -> Void)?
  /// Passage was closed. It is called exactly once for every `open` that was not ignored, as the last callback.
  public var onExit: (@MainActor @Sendable (PassageExitReason) -> Void)?
  /// The other view is visible now.
  public var onWebviewChange: (@MainActor @Sendable (PassageView) -> Void)?
  /// How the window is shown.
  public var presentationStyle: PassagePresentation

  public init(
    intentToken: String, prompts: [PassagePrompt] = [],
    onConnectionComplete: (@MainActor @Sendable (PassageSuccessData) -> Void)? = nil,
    onConnectionError: (@MainActor @Sendable (PassageErrorData) -> Void)? = nil,
    onDataComplete: (@MainActor @Sendable (PassageDataResult) -> Void)? = nil,
    onPromptComplete: (@MainActor @Sendable (PassagePromptResponse) -> Void)? = nil,
    onExit: (@MainActor @Sendable (PassageExitReason) -> Void)? = nil,
    onWebviewChange: (@MainActor @Sendable (PassageView) -> Void)? = nil,
    presentationStyle: PassagePresentation = .modal
  ) {
    self.intentToken = intentToken
    self.prompts = prompts
    self.onConnectionComplete = onConnectionComplete
    self.onConnectionError = onConnectionError
    self.onDataComplete = onDataComplete
    self.onPromptComplete = onPromptComplete
    self.onExit = onExit
    self.onWebviewChange = onWebviewChange
    self.presentationStyle = presentationStyle
  }

  /// Tells the program.
  @MainActor
  func call(_ callback: PassageCallback) {
    switch callback {
    case .connectionComplete(let success): onConnectionComplete?(success)
    case .connectionError(let error): onConnectionError?(error)
    case .dataComplete(let result): onDataComplete?(result)
    case .promptComplete(let answer):
      // An answer to a prompt that the program does not have is none of its answers.
      if prompts.isEmpty || prompts.contains(where: { $0.key == answer.key }) { onPromptComplete?(answer) }
    case .exit(let reason): onExit?(reason)
    case .webviewChange(let view): onWebviewChange?(view)
    }
  }
}

/// A question of the program about the third party's data.
public struct PassagePrompt: Sendable, Equatable {
  /// The name by which `PassagePromptResponse` answers.
  public var key: String
  public var value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}
