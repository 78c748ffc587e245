package import TesseraCore
package import TesseraJSON

/// What a host program says to the process `tessera-passage session`: one line of JSON each (Passage.md, rule 19).
package enum HostMessage: Sendable, Equatable {
  /// The servers, and what the views may do. It comes first.
  case configure(PassageConfig)
  /// Show Passage. A second one is ignored while Passage is shown.
  case open(PassageOpening)
  /// A call of the API, which the process answers with `ViewsMessage.answer` or `ViewsMessage.failure`.
  case request(HostRequest)
}

/// What a host program opens Passage with.
package struct PassageOpening: Sendable, Equatable {
  /// The token of the host's server. Only its payload is read.
  package var intentToken: String
  package var presentation: PassagePresentation

  /// The longest token, in bytes. A server's header must hold it.
  package static let maximumTokenLength = 16_384

  package init(intentToken: String, presentation: PassagePresentation = .modal) {
    self.intentToken = intentToken
    self.presentation = presentation
  }
}

/// How the window of Passage is shown.
public enum PassagePresentation: String, Sendable, CaseIterable {
  /// A window of the size of a dialogue.
  case modal
  /// The whole screen.
  case fullScreen
}

// MARK: - JSON

extension HostMessage {
  package var json: JSONValue {
    switch self {
    case .configure(let config): ["type": "configure", "config": config.hostJSON]
    case .open(let opening):
      [
        "type": "open", "intentToken": .string(opening.intentToken),
        "presentationStyle": .string(opening.presentation.rawValue),
      ]
    case .request(let request): .object(Self.members(of: request))
    }
  }

  /// - Throws: `HostMessageError` that says what is wrong, without a value of the message.
  package init(_ json: JSONValue) throws(HostMessageError) {
    guard let type = json["type"]?.stringValue else { throw .missing("type") }
    switch type {
    case "configure":
      guard let config = json["config"] else { throw .missing("config") }
      self = .configure(try PassageConfig(hostJSON: config))
    case "open": self = .open(try PassageOpening(json))
    default: self = .request(try HostRequest(type, json))
    }
  }

  private static func members(of request: HostRequest) -> JSONObject {
    var members: JSONObject = ["type": .string(request.call.name), "id": .integer(Int64(request.id))]
    switch request.call {
    case .close, .goBack, .goForward, .clearAllCookies, .clearWebViewState, .clearWebViewData, .resetWebViewURLs,
      .releaseResources:
      break
    case .navigate(let url), .cookies(let url), .clearCookies(let url): members["url"] = .string(url)
    case .setCookie(let cookie, let url):
      members["cookie"] = cookie.hostJSON
      members["url"] = .string(url)
    case .clearCookiesOfDomains(let domains): members["domains"] = .array(domains.map(JSONValue.string))
    case .injectJavaScript(let script, let view):
      members["script"] = .string(script)
      members["webViewType"] = .string(view.rawValue)
    case .completeRecording(let data), .captureRecordingData(let data): members["data"] = data
    }
    return members
  }
}

extension PassageOpening {
  fileprivate init(_ json: JSONValue) throws(HostMessageError) {
    guard let token = json["intentToken"]?.stringValue else { throw .missing("intentToken") }
    guard token.utf8.count <= Self.maximumTokenLength else { throw .tooLong("intentToken") }
    self.init(intentToken: token)
    if let style = json["presentationStyle"] {
      guard let style = style.stringValue.flatMap(PassagePresentation.init) else { throw .wrong("presentationStyle") }
      presentation = style
    }
  }
}

/// Why a message between a host program and `tessera-passage` is not understood. It names a member and never a value.
package enum HostMessageError: FailureConvertible, Equatable {
  case missing(String)
  case wrong(String)
  case tooLong(String)
  case unknownType
  case notJSON
  /// A line is longer than `HostLines.maximumLength`.
  case lineTooLong

  package var failure: Failure {
    let cause =
      switch self {
      case .missing(let name): "A message of Passage's host has no “\(name)”."
      case .wrong(let name): "The member “\(name)” of a message of Passage's host has a wrong value."
      case .tooLong(let name): "The member “\(name)” of a message of Passage's host is too long."
      case .unknownType: "A message of Passage's host has an unknown type."
      case .notJSON: "A message of Passage's host is not JSON."
      case .lineTooLong: "A message of Passage's host is longer than \(HostLines.maximumLength) bytes."
      }
    return Failure(.protocolViolation, cause, remedy: "Use tessera-passage and the Passage library of one version.")
  }
}
