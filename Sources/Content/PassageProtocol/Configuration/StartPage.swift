internal import TesseraHTTPClient

/// The addresses of the UI view (Passage.md, rule 4).
package enum StartPage {
  /// The page with which a session begins.
  ///
  /// - Parameter suffix: the nine letters and digits at the end of the session's name.
  package static func address(
    _ servers: PassageServers, token: String, agentName: String, suffix: String, at time: UnixTime
  ) -> String {
    servers.ui.appending("/connect")
      + query([
        ("intentToken", token), ("sdkSession", "sdk-session-\(time.seconds)-\(suffix)"), ("agentName", agentName),
      ])
  }

  /// The page that follows the command `done`.
  package static func redirect(
    _ servers: PassageServers, token: String, agentName: String, isSuccess: Bool, error: String?
  ) -> String {
    servers.ui.appending("/connect")
      + query(
        [("intentToken", token), ("success", isSuccess ? "true" : "false"), ("appAgentName", agentName)]
          + (error.map { [("error", $0)] } ?? []))
  }

  private static func query(_ members: [(String, String)]) -> String {
    "?" + members.map { "\($0.0)=\(PercentEncoding.component($0.1))" }.joined(separator: "&")
  }
}
