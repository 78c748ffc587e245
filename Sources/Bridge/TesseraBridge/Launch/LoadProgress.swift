/// A step of the load of a launch's page. The raw values are the words of the mobile SDK.
public enum LoadStage: String, Sendable {
  /// The enterprise session of the request is read from its server.
  case resolving
  case loading
  /// The page was not ready after three seconds.
  case slow
  /// There is no page, or it was not ready after ten seconds. To try again starts at `loading`.
  case failed
  /// The page sent `lifecycle.ready`. Only the end of its process ends this stage.
  case ready
  /// The page speaks another version of the protocol.
  case versionMismatch = "version_mismatch"
}

/// Why a page is not ready.
public struct LoadProblem: Sendable, Equatable {
  public enum Kind: String, Sendable {
    case timeout
    case loadError = "load_error"
    case versionMismatch = "version_mismatch"
    case sessionResolve = "session_resolve"
  }

  /// Where the problem is.
  public enum Source: String, Sendable {
    /// Content that is part of the program.
    case bundle
    /// A page under development.
    case devServer = "dev-server"
    /// Any other page at an address. The mobile SDK has none.
    case remote
    /// The server of enterprise sessions.
    case enterpriseAPI = "enterprise-api"
  }

  public let kind: Kind
  public let source: Source
  /// `phase` and `code`, `description`, `statusCode` or `didCrash` of a load error; `received`, `expected` and
  /// `recoverable` of another version; `code` of a session. Empty for a timeout. It contains nothing of the request.
  public let detail: JSONObject

  public init(_ kind: Kind, _ source: Source, detail: JSONObject = JSONObject()) {
    self.kind = kind
    self.source = source
    self.detail = detail
  }

  /// The problem of a page that speaks another version.
  package init(_ mismatch: VersionMismatch, _ source: Source) {
    self.init(
      .versionMismatch, source,
      detail: [
        "received": mismatch.received.map(JSONValue.string) ?? .null, "expected": .integer(mismatch.expected),
        "recoverable": .bool(mismatch.isRecoverable),
      ])
  }

  /// The problem of a session that gives no request.
  package init(_ error: EnterpriseSessionError) {
    self.init(.sessionResolve, .enterpriseAPI, detail: ["code": .string(error.rawValue)])
  }
}

/// What a host learns of the load of its page.
public struct LoadProgress: Sendable, Equatable {
  public let stage: LoadStage
  /// Why there is no page; nil in the other stages.
  public let problem: LoadProblem?
  /// Whether a document of the page is shown. A page that is shown stays so when it is slow or not ready in time.
  public let isPageShown: Bool

  public init(_ stage: LoadStage, _ problem: LoadProblem? = nil, isPageShown: Bool = false) {
    self.stage = stage
    self.problem = problem
    self.isPageShown = isPageShown
  }
}

extension LoadProgress {
  /// What the user of a terminal should know: what happened, and what can be done about it. nil if there is nothing to
  /// do, and for a session, whose failure is the outcome of the launch.
  package var note: String? {
    // Pages that are not of the SDK never say that they are ready.
    guard !isPageShown else { return nil }
    let remedy = "Press “Try again” in its window, or close it."
    return switch (stage, problem?.kind) {
    case (.slow, _): "The page is slow: it has not arrived after 3 seconds."
    case (_, .timeout): "The page has not arrived after 10 seconds. \(remedy)"
    case (_, .loadError): "The page cannot be shown (\(problem?.summary ?? "")). \(remedy)"
    case (_, .versionMismatch) where problem?.detail["recoverable"] == true:
      "The page sent a message without a version. \(remedy)"
    case (_, .versionMismatch):
      "The page speaks another version of the bridge (\(problem?.summary ?? "")). Use a version of Tessera for this page."
    default: nil
    }
  }
}

extension LoadProblem {
  /// The details on one line.
  fileprivate var summary: String {
    detail.members.filter { $0.name != "recoverable" }
      .map { "\($0.name) \($0.value.stringValue ?? $0.value.text)" }.joined(separator: ", ")
  }
}

extension LoadProgress: CustomStringConvertible {
  /// The stage, and why there is no page.
  public var description: String { stage.rawValue + (problem.map { ": \($0)" } ?? "") }
}

extension LoadProblem: CustomStringConvertible {
  /// The kind and the source, and in parentheses the details.
  public var description: String {
    "\(kind.rawValue), \(source.rawValue)" + (summary.isEmpty ? "" : " (\(summary))")
  }
}
