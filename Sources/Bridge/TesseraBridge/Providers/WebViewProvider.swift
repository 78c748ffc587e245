/// Shows the web content of launches in windows.
public protocol WebViewProvider: Sendable {
  /// Shows the content until the session has its outcome, which the session reports to its host.
  ///
  /// - Parameters:
  ///   - content: what to show.
  ///   - session: the launch.
  ///   - router: answers the requests of the content. Its `lifecycle` handler belongs to `session`.
  /// - Throws: `VerificationError` with the code `NO_VIEW_CONTROLLER` if there is no display; `Failure` of the kind
  ///   `usage` for an address that must not be shown.
  func show(_ content: LaunchContent, for session: LaunchSession, router: MessageRouter) async throws
}
